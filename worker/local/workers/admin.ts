/**
 * What the launcher asks of the running service, by a socket of its own that no request from outside
 * reaches: to apply migrations, to do what a cron trigger does, to take note of a problem.
 */

import service from '../../index.ts'
import { setProblem } from './health.ts'
import { holdWrites } from './hold.ts'
import type { HostEnv } from './env.ts'

const APPLIED = `create table if not exists d1_migrations (id integer primary key autoincrement,
  name text unique, applied_at timestamp default current_timestamp not null)`
const NAMES = 'select name from d1_migrations'
const NOTE = 'insert into d1_migrations (name) values (?)'
const LEASES = 'delete from leases'

/**
 * Applies the migrations that are missing, each in one transaction with the note of it. The database is
 * this runtime's alone, so that leases found in it belong to a service that was killed.
 */
async function prepare({ DB, MIGRATIONS }: HostEnv): Promise<void> {
  const [, names] = await DB.batch<{ name: string }>([DB.prepare(APPLIED), DB.prepare(NAMES)])
  const applied = new Set(names!.results.map(({ name }) => name))
  for (const { name, statements } of MIGRATIONS) {
    if (applied.has(name)) continue
    await DB.batch([...statements.map((sql) => DB.prepare(sql)), DB.prepare(NOTE).bind(name)])
  }
  await DB.prepare(LEASES).run()
}

/** Once, whoever asks how often. */
let prepared: Promise<void> | undefined

type Operation = (env: HostEnv, parameters: URLSearchParams) => Promise<void> | void

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '/prepare': (env) => (prepared ??= prepare(env)),
  /** `cron` of the trigger, and its time `at` in ms. */
  '/tick': async (env, parameters) => {
    const cron = parameters.get('cron') ?? ''
    const scheduledTime = Number(parameters.get('at'))
    await service.scheduled({ scheduledTime, cron, noRetry: () => undefined }, env)
  },
  '/problem': (_, parameters) => setProblem(parameters.get('sentence')),
  /** Answered once all that was written before is on the disk; 0 ms lets writes go on. */
  '/hold': async ({ DB }, parameters) => {
    holdWrites(Number(parameters.get('milliseconds')))
    await DB.prepare('select 1').all()
  },
  '/well': () => setProblem(null),
}

export const admin = {
  async fetch({ url }: Request, env: HostEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(url)
    const operation = OPERATIONS[pathname]
    if (operation === undefined) return new Response(`No operation ${pathname}`, { status: 404 })
    try {
      await operation(env, searchParams)
      return new Response('done')
    } catch (error) {
      return new Response(error instanceof Error ? error.message : String(error), { status: 500 })
    }
  },
}
