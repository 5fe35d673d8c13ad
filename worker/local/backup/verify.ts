/**
 * Verifies the file of a database by the runtime's own SQLite: every page of every table and index, that each index has
 * the rows of its table, and whose database it is.
 */

import { copyFile, link, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tmpdir } from 'node:os'
import { entriesRuleOf, INDEX_DEFINITIONS, rowsRuleOf } from '../../integrity/indexes.ts'
import { readConfiguration } from '../configuration.ts'
import { configurationText, FILES, socketPath, type SocketName } from '../host/configuration.ts'
import { hostModules } from '../host-modules.ts'
import { makeRunFolder, removeRunFolder, writeRunFolder } from '../host/run-folder.ts'
import { CONFIGURATION_FILE, startRuntime } from '../host/runtime.ts'
import { askUnix } from '../host/unix-request.ts'
import { databaseFile } from './database-file.ts'

/** What a file was found to be. */
export interface VerifiedDatabase {
  /** What is wrong, a sentence each; none where all is well. */
  readonly problems: readonly string[]
  /** Names of the migrations that made it; null for another program's database. */
  readonly migrations: readonly string[] | null
  readonly reports: number | null
}

/** Problems that are listed. */
const MOST_LISTED = 100
const SOCKETS: readonly SocketName[] = ['probe']
type Row = Readonly<Record<string, unknown>>

/** @param root folder of the project @param file a database without a log; it is not changed */
export async function verifyDatabase(root: string, file: string): Promise<VerifiedDatabase> {
  const data = await dataFolderOf(file)
  try {
    return await withRuntime(root, data, verify)
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

/** A data folder with that database, under a second name where the file system allows it, else as a copy. */
async function dataFolderOf(file: string): Promise<string> {
  const beside = join(dirname(file), `${basename(file)}.verify-`)
  const data = await mkdtemp(beside).catch(() => mkdtemp(join(tmpdir(), 'verify-')))
  const database = databaseFile(data)
  await mkdir(dirname(database), { recursive: true })
  await link(file, database).catch(() => copyFile(file, database))
  return data
}

export type Ask = (sql: string) => Promise<readonly Row[]>

/** Runs SQL on the database of a data folder, by the runtime alone. @param work gets a function that runs a statement */
export async function withRuntime<Result>(
  root: string,
  data: string,
  work: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  const lines: string[] = []
  const [project, { worker, others, binding, history }] = await Promise.all([
    readConfiguration(join(root, 'wrangler.toml')),
    hostModules(root),
  ])
  const runFolder = await makeRunFolder()
  const assetsFolder = join(root, 'dist/assets')
  const configuration = configurationText({
    ...project,
    sockets: SOCKETS,
    modules: Object.keys(others),
    runFolder,
    dataFolder: data,
    assetsFolder: existsSync(assetsFolder) ? assetsFolder : data,
    settings: [],
    trusting: false,
    reachesThisMachine: false,
    hookHosts: [],
    authorities: [],
  })
  writeRunFolder(runFolder, {
    ...others,
    [CONFIGURATION_FILE]: configuration,
    [FILES.worker]: worker,
    [FILES.binding]: binding,
    [FILES.history]: history,
    [FILES.migrations]: '[]',
  })
  const ask: Ask = async (sql) => {
    const body = JSON.stringify([{ sql, params: [] }])
    const request = { method: 'POST', path: '/', body }
    const answer = await askUnix(socketPath(runFolder, 'probe'), request)
    if (answer.status !== 200) throw new Error(codeIn(lines) ?? answer.body.toString())
    return (JSON.parse(answer.body.toString()) as [{ results: Row[] }])[0].results
  }
  try {
    const options = {
      root,
      runFolder,
      sockets: SOCKETS,
      environment: {},
      onLine: (line: string) => void lines.push(line),
    }
    const runtime = await startRuntime(options)
    try {
      return await work(ask)
    } finally {
      await runtime.stop(0)
    }
  } finally {
    removeRunFolder(runFolder)
  }
}

async function verify(ask: Ask): Promise<VerifiedDatabase> {
  const problems: string[] = []
  /** A statement that SQLite can't end is a problem like what others find. */
  const rowsOf = async (what: string, sql: string): Promise<readonly Row[]> => {
    try {
      return await ask(sql)
    } catch (error) {
      problems.push(`${what}: ${sqliteText(error)}`)
      return []
    }
  }
  const tables = await rowsOf('the schema', `select name from sqlite_master where type = 'table'`)
  const names = new Set(tables.map(({ name }) => name))
  if (
    problems.length === 0 &&
    !['d1_migrations', 'reports', 'nodes'].every((one) => names.has(one))
  )
    return { problems: [], migrations: null, reports: null }
  const migrations = await rowsOf('the migrations', 'select name from d1_migrations order by id')
  const pages = await rowsOf('the pages', `pragma quick_check(${MOST_LISTED})`)
  for (const row of pages)
    if (row['quick_check'] !== 'ok') problems.push(String(row['quick_check']))
  // On damaged pages every index would be wrong, at length.
  if (problems.length === 0) {
    for (const row of await rowsOf('the indexes', INDEX_DEFINITIONS.sql)) {
      const index = INDEX_DEFINITIONS.decode({ ...row })
      for (const { sql } of [entriesRuleOf(index), rowsRuleOf(index)]) {
        const found = await rowsOf(`the index ${index.name}`, sql)
        problems.push(...found.map(({ violation }) => `the index ${String(violation)}`))
      }
    }
  }
  const [counted] = await rowsOf('the reports', 'select count(*) as reports from reports')
  return {
    problems: problems.slice(0, MOST_LISTED),
    migrations: migrations.map(({ name }) => String(name)),
    reports: counted === undefined ? null : Number(counted['reports']),
  }
}

/** A database that can't be opened is an "internal error" to who asks, and a result code of SQLite in the runtime's log. */
const codeIn = (lines: readonly string[]): string | null =>
  lines.flatMap((line) => /\bSQLITE_[A-Z_]+/.exec(line) ?? []).at(-1) ?? null

/** SQLite's message without what the layers above it add. */
const sqliteText = (error: unknown): string =>
  (error as Error).message.replace(/^(?:Error: )?D1_ERROR: /, '')
