/**
 * The keeper of a service on this machine: a Worker of its own beside it, which applies the migrations,
 * and does on request what a cron trigger does of a deployed Worker. Node could reach the database
 * through Miniflare's proxies instead, but each of their calls puts the thread to sleep until another
 * one wakes it, once, without a look at what for: when that other thread is held up between the answer
 * to one call and the waking for it, the next call is woken before its answer is there, and Miniflare
 * ends with `AssertionError: false == true`. A request is waited for as any other.
 */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of the folder of migrations: its name, as `wrangler d1 migrations apply` notes it, and its statements. */
interface Migration {
  readonly name: string
  readonly statements: readonly string[]
}

/** Where requests of this process reach the keeper. Those from outside come to the door, which doesn't lead here. */
const ADDRESS = 'http://keeper.internal'

/** What it is asked for: to make the database ready, which it does before anything else as well, and to do what a trigger does, with its `cron` and the time `at` in ms. */
export const KEEPER = { prepare: `${ADDRESS}/`, tick: `${ADDRESS}/tick` } as const

/**
 * The Worker, as Miniflare takes it.
 *
 * @param service the Worker whose house it keeps, with that one's code, settings and database
 */
export const keeperOf = <Service extends Kept>(
  service: Service,
  migrations: readonly Migration[],
) => ({
  ...service,
  name: 'keeper',
  modules: [
    { type: 'ESModule' as const, path: 'keeper.mjs', contents: SCRIPT },
    { ...service.modules[0], path: 'service.mjs' },
  ],
  routes: [`${new URL(ADDRESS).host}/*`],
  bindings: { ...service.bindings, MIGRATIONS: JSON.stringify(migrations) },
})

/** Of a Worker as Miniflare takes it, what the keeper needs to know. */
interface Kept {
  readonly modules: readonly [{ readonly type: 'ESModule'; readonly contents: string }]
  readonly bindings: Readonly<Record<string, string>>
}

/** All there are, in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const read = async (name: string): Promise<Migration> => ({
    name,
    statements: splitStatements(await readFile(join(folder, name), 'utf8')),
  })
  return Promise.all(names.map(read))
}

/** Our migrations hold no semicolon but at the end of a statement; comments are lines of their own. */
const splitStatements = (text: string): string[] =>
  text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')

/**
 * SQL comes with the Worker, never with a request. The database is made ready once, whoever asks how
 * often; its folder is this process's alone, so that leases are those of a service that was killed.
 */
const SCRIPT = `
import service from './service.mjs'

const NOTES = \`CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)\`
const NOTE = 'INSERT INTO d1_migrations (name) VALUES (?)'

async function prepare({ DB, MIGRATIONS }) {
  const [, { results }] = await DB.batch([NOTES, 'SELECT name FROM d1_migrations'].map((sql) => DB.prepare(sql)))
  const applied = new Set(results.map(({ name }) => name))
  for (const { name, statements } of JSON.parse(MIGRATIONS).filter((one) => !applied.has(one.name)))
    await DB.batch([...statements.map((sql) => DB.prepare(sql)), DB.prepare(NOTE).bind(name)])
  await DB.prepare('DELETE FROM leases').run()
}

let ready
export default {
  async fetch({ url }, env) {
    await (ready ??= prepare(env))
    const { pathname, searchParams } = new URL(url)
    if (pathname !== '/tick') return new Response('ready')
    const [cron, at] = [searchParams.get('cron') ?? '', Number(searchParams.get('at'))]
    await service.scheduled({ scheduledTime: at, cron, noRetry() {} }, env)
    return new Response('kept')
  },
}`
