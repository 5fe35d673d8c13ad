/**
 * The launcher's commands to the running service, on a separate socket that requests from outside can't
 * reach: apply migrations, run the work of a cron trigger, set the health, hold writes.
 */

import { historyOf } from '../../history/history.ts'
import service from '../../index.ts'
import { checkPage } from '../../integrity/check.ts'
import { readSettings } from '../../schema/settings.ts'
import { Database } from '../../store/database.ts'
import {
  hostFigures,
  setHostFigures,
  type HostFigures,
} from '../../http/monitoring/host-figures.ts'
import { noteDamage, setProblem } from './health.ts'
import { CHECKSUMS_QUERY, SCHEMA_QUERY } from '../schema-queries.ts'
import { setTokens } from './current-tokens.ts'
import { holdWrites } from './hold.ts'
import { removeSample } from './sample.ts'
import type { HostEnv } from './env.ts'

const APPLIED = `create table if not exists d1_migrations (id integer primary key autoincrement,
  name text unique, applied_at timestamp default current_timestamp not null)`
const HAS_MIGRATIONS = `select name from sqlite_master where name = 'd1_migrations'`
const NAMES = 'select name from d1_migrations order by id'
const NOTE = 'insert into d1_migrations (name) values (?)'
const MARK = `insert or replace into leases (name, holder, until) values ('log', 'launcher', 0)`
const UNMARK = `delete from leases where name = 'log'`
const LEASES = 'delete from leases'
const CHECKSUM = 'insert or ignore into migration_checksums (name, checksum) values (?, ?)'

/**
 * Applies the missing migrations in one transaction with their records: a database is of one version, never between two.
 * Only this runtime uses the database, so leases found in it belong to a service that was killed.
 */
async function applyMigrations({ DB, MIGRATIONS }: HostEnv): Promise<void> {
  const [, names] = await DB.batch<{ name: string }>([DB.prepare(APPLIED), DB.prepare(NAMES)])
  const applied = new Set(names!.results.map(({ name }) => name))
  const missing = MIGRATIONS.filter(({ name }) => !applied.has(name))
  await DB.batch([
    ...missing.flatMap(({ name, statements }) => [
      ...statements.map((sql) => DB.prepare(sql)),
      DB.prepare(NOTE).bind(name),
    ]),
    ...MIGRATIONS.map(({ name, checksum }) => DB.prepare(CHECKSUM).bind(name, checksum)),
    DB.prepare(LEASES),
  ])
}

/** Which migrations made the database, and which it lacks. Writes nothing. */
async function migrationState({ DB, MIGRATIONS }: HostEnv): Promise<Response> {
  const [known] = await DB.batch<{ name: string }>([DB.prepare(HAS_MIGRATIONS)])
  const [rows] =
    known!.results.length === 0 ? [] : await DB.batch<{ name: string }>([DB.prepare(NAMES)])
  const applied = rows?.results.map(({ name }) => name) ?? []
  const missing = MIGRATIONS.map(({ name }) => name).filter((name) => !applied.includes(name))
  return Response.json({ applied, missing })
}

/** The database as it is, for the launcher to compare with the code: lines of its schema, and its migrations. */
async function describeDatabase({ DB }: HostEnv): Promise<Response> {
  const [lines, checksums] = await DB.batch([DB.prepare(SCHEMA_QUERY), DB.prepare(CHECKSUMS_QUERY)])
  return Response.json({ lines: lines!.results, checksums: checksums!.results })
}

/** Runs once, however often it is requested. */
let migrated: Promise<void> | undefined

type Operation = (
  env: HostEnv,
  parameters: URLSearchParams,
  request: Request,
) => Promise<Response | void> | void

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '/alive': () => undefined,
  /** Opens the database, so that the first read finds it open. */
  '/warm': async ({ DB }) => void (await DB.prepare(NAMES).all()),
  /** A reader has found the database damaged. */
  '/damage': () => void noteDamage(),
  /** Copies the log into the database at the first commit, and begins it again at the second, if no reader is at work. */
  '/renew-log': async ({ DB }) => {
    await DB.prepare(MARK).run()
    await DB.prepare(UNMARK).run()
  },
  '/migrations': migrationState,
  /** Applies migrations, and describes the database. */
  '/prepare': async (env) => {
    await (migrated ??= applyMigrations(env))
    return describeDatabase(env)
  },
  /** `cron` of the trigger, and its time `at` in ms. */
  '/tick': async (env, parameters) => {
    const cron = parameters.get('cron') ?? ''
    const scheduledTime = Number(parameters.get('at'))
    await service.scheduled({ scheduledTime, cron, noRetry: () => undefined }, env)
  },
  /** `sentence` of the problem, and whether writes are refused. */
  '/problem': (_, parameters) =>
    setProblem(parameters.get('sentence'), parameters.get('refuses') === 'true'),
  /** Answers once all earlier writes are on disk; 0 ms releases writes. */
  '/hold': async ({ DB }, parameters) => {
    holdWrites(Number(parameters.get('milliseconds')))
    await DB.prepare('select 1').all()
  },
  '/well': () => setProblem(null),
  /** The body is the setting TOKENS from now on. */
  '/tokens': async (_, __, request) => setTokens(await request.text()),
  /** A page of the integrity check, as `GET /admin/v1/check` answers it. */
  '/check': async ({ DB, HISTORY, ...settings }, parameters) => {
    const history = historyOf(HISTORY, readSettings(settings))
    const options = { history, lostLog: hostFigures().lostLog, repairs: false }
    return Response.json(
      await checkPage(Database.primary(DB), parameters.get('after') ?? '', options),
    )
  },
  /** Removes the sample fleet where other nodes have reported, or `always`. */
  '/remove-sample': async (env, parameters) =>
    Response.json(await removeSample(env, parameters.get('always') === 'true')),
  '/figures': (_, parameters) =>
    setHostFigures(JSON.parse(parameters.get('json') ?? '') as HostFigures),
}

export const admin = {
  async fetch(request: Request, env: HostEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const operation = OPERATIONS[pathname]
    if (operation === undefined) return new Response(`No operation ${pathname}`, { status: 404 })
    try {
      return (await operation(env, searchParams, request)) ?? new Response('done')
    } catch (error) {
      return new Response(error instanceof Error ? error.message : String(error), { status: 500 })
    }
  },
}
