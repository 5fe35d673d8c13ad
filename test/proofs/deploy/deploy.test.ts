/** `npm run deploy` on a fresh account and again: wrangler itself, against an imitation of Cloudflare's API. */

import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { digestOf } from '../../../worker/access/tokens.ts'
import { readConfiguration } from '../../../worker/local/configuration.ts'
import { firstCredentials } from '../../../tools/deploy/credentials.ts'
import { ensureDatabase } from '../../../tools/deploy/database.ts'
import { startCloudflareApi, type CloudflareApi } from './cloudflare-api.ts'
import { ROOT } from '../../local/local-service.ts'

const WORKER = 'report-query-service'

let project = ''
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'deploy-'))
  await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'))
  for (const name of ['worker', 'tools', 'migrations', 'package.json', 'package-lock.json'])
    await cp(join(ROOT, name), join(project, name), { recursive: true })
})
afterAll(() => rm(project, { recursive: true, force: true }))

let api: CloudflareApi
async function openAccount(): Promise<void> {
  api = await startCloudflareApi()
  await cp(join(ROOT, 'wrangler.toml'), join(project, 'wrangler.toml'))
}

const configuration = (): Promise<string> => readFile(join(project, 'wrangler.toml'), 'utf8')

interface Outcome {
  readonly code: number | null
  readonly output: string
}

const deploy = (
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['worker/local/launch.mjs', 'tools/deploy/deploy.ts', ...words],
      { cwd: project, env: { ...process.env, ...api.environment, ...environment } },
      (_, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    )
    child.stdin!.end()
  })

const hexDigest = (token: string): string => Buffer.from(digestOf(token)).toString('hex')

/** A database of the account with one statement done. */
async function madeByHand(sql: string): Promise<void> {
  api.databases.push({ name: 'reports', uuid: crypto.randomUUID(), place: 'weur' })
  await api.query(api.databases[0]!.uuid, sql)
}

describe('an account', () => {
  beforeAll(openAccount)
  afterAll(() => api.stop())

  it('gets database, key and tokens by the first deployment, which prints the lines for puppet.conf', async () => {
    const { code, output } = await deploy(['--location', 'weur'])
    expect(api.unknown).toEqual([])
    expect(code, output).toBe(0)
    const [database] = api.databases
    expect(api.databases).toEqual([{ name: 'reports', uuid: database!.uuid, place: 'weur' }])
    expect(await configuration()).toContain(
      `database_name = "reports"\ndatabase_id = "${database!.uuid}"\n`,
    )
    const [applied] = await api.query(database!.uuid, 'select count(*) n from d1_migrations')
    const [noted] = await api.query(database!.uuid, 'select count(*) n from migration_checksums')
    expect(noted).toEqual(applied)

    const worker = api.workers.get(WORKER)!
    expect(worker.databases).toEqual([database!.uuid])
    expect(worker.schedules).toEqual(['13 * * * *', '*/5 * * * *'])
    expect([...worker.secrets.keys()].sort()).toEqual(['CONSOLE_KEY', 'TOKENS'])
    expect(worker.secrets.get('CONSOLE_KEY')).toMatch(/^[\w-]{40}$/)

    expect(output).toContain('Deployed: https://report-query-service.example.workers.dev/console\n')
    const admin = /^ {2}(rqs_\S+)$/m.exec(output)![1]!
    const submit = /any:([^@]+)@/.exec(output)![1]!
    expect(worker.secrets.get('TOKENS')).toBe(
      `admin admin ${hexDigest(admin)}\npuppet submit ${hexDigest(submit)}`,
    )
    expect(output).toContain(`
  [server]
  reports = store,http
  reporturl = https://any:${submit}@report-query-service.example.workers.dev/reports
  report_include_system_store = true
`)
    const kept = join(project, 'tokens.txt')
    expect(await readFile(kept, 'utf8')).toBe(`${worker.secrets.get('TOKENS')}\n`)
    expect((await stat(kept)).mode & 0o777).toBe(0o600)
  })

  it('keeps database and tokens in the next one, which makes a key that lacks', async () => {
    const [database] = api.databases
    const worker = api.workers.get(WORKER)!
    const tokens = worker.secrets.get('TOKENS')
    worker.secrets.delete('CONSOLE_KEY')
    await api.query(
      database!.uuid,
      "insert into hour_groups select value, 7, 0, 0, '[]' from json_each('[0, 1, 8, 9]')",
    )
    const again = await deploy()
    expect(again.code, again.output).toBe(0)
    expect(api.unknown).toEqual([])
    // Counts that an older version doesn't keep are made again.
    expect(await api.query(database!.uuid, 'select kind from hour_groups')).toEqual([
      { kind: 0 },
      { kind: 1 },
    ])
    expect(again.output).toContain('Migrations applied: none was missing.')
    expect(again.output).toMatch(
      /\nDeployed: https:\/\/report-query-service\.example\.workers\.dev\/console\n$/,
    )
    expect(again.output).not.toContain('rqs_')
    expect(worker.secrets.get('TOKENS')).toBe(tokens)
    expect(worker.secrets.get('CONSOLE_KEY')).toMatch(/^[\w-]{40}$/)
    expect(worker.databases).toEqual([database!.uuid, database!.uuid])
    expect(api.databases).toHaveLength(1)
  })

  it('keeps its code where the tables differ from those of the migrations', async () => {
    await api.query(api.databases[0]!.uuid, 'alter table reports add column extra text')
    const refused = await deploy()
    expect(refused.output).toContain('it has reports.extra text')
    expect(refused.code).toBe(1)
    expect(api.workers.get(WORKER)!.databases).toHaveLength(2)
  })
})

describe('a fresh account', () => {
  beforeEach(openAccount)
  afterEach(() => api.stop())

  it('gets its tokens, which nothing else knows, also where a step after the deployment fails', async () => {
    api.refused.push(/^delete from hour_groups/)
    const { code, output } = await deploy(['--location', 'weur'])
    expect(output).toMatch(/^ {2}(rqs_\S+)$/m)
    expect(output).toMatch(/any:rqs_[^@]+@/)
    expect(code).toBe(1)
    const tokens = api.workers.get(WORKER)!.secrets.get('TOKENS')
    expect(await readFile(join(project, 'tokens.txt'), 'utf8')).toContain(`${tokens}\n`)
  })

  it('may have its database in a jurisdiction', async () => {
    for (const [name, value] of Object.entries(api.environment)) vi.stubEnv(name, value)
    const file = join(project, 'wrangler.toml')
    const place = { location: undefined, jurisdiction: 'eu' }
    await ensureDatabase(file, await readConfiguration(file), place)
    vi.unstubAllEnvs()
    const [database] = api.databases
    expect(database!.place).toBe('jurisdiction eu')
    expect((await readConfiguration(file)).databaseIds).toEqual([database!.uuid])
  })
})

describe('the first credentials', () => {
  it.each([
    ['nothing is set', [], true, ['CONSOLE_KEY', 'TOKENS']],
    ['Cloudflare keeps the output', [], false, ['CONSOLE_KEY']],
    ['there are tokens', ['TOKENS'], true, ['CONSOLE_KEY']],
    ['people sign in by Cloudflare Access', ['ACCESS_TEAM', 'CONSOLE_KEY'], true, []],
    ['certificates give access', ['CLIENT_CERTIFICATES'], true, ['CONSOLE_KEY']],
  ])('where %s', (_, known, mayShow, made) => {
    const { secrets, tokens } = firstCredentials(known, mayShow)
    expect(Object.keys(secrets)).toEqual(made)
    expect(tokens !== null).toBe(made.includes('TOKENS'))
  })
})

describe('refused before anything changes', () => {
  beforeEach(openAccount)
  afterEach(async () => {
    await api.stop()
    expect(api.workers.size).toBe(0)
  })

  it.each([
    ['no place', [], 'Name one: npm run deploy -- --location weur'],
    ['a wrong place', ['--location', 'weu'], "'weu' is not a location of D1. Did you mean 'weur'?"],
    [
      'a wrong jurisdiction',
      ['--jurisdiction', 'uk'],
      "'uk' is not a jurisdiction of D1. There are eu and fedramp.",
    ],
  ])('%s', async (_, words, sentence) => {
    const { code, output } = await deploy(words)
    expect(output).toContain(sentence)
    expect(code).toBe(1)
    expect(api.databases).toEqual([])
    expect(await configuration()).not.toContain('database_id =')
  })

  it('a wrong database_id', async () => {
    const text = (await configuration()).replace('"reports"', '"reports"\ndatabase_id = "reports"')
    await writeFile(join(project, 'wrangler.toml'), text)
    const { code, output } = await deploy()
    expect(output).toContain('The database_id "reports" in wrangler.toml is not the id of a databa')
    expect(code).toBe(1)
  })

  it('a database of another program', async () => {
    await madeByHand('create table customers (name text)')
    const { code, output } = await deploy()
    expect(output).toContain('The account has a database reports with other tables than this')
    expect(code).toBe(1)
    expect(await configuration()).not.toContain('database_id =')
    const tables = await api.query(
      api.databases[0]!.uuid,
      "select name from sqlite_master where type = 'table' and name not like '\\_%' escape '\\'",
    )
    expect(tables).toEqual([{ name: 'customers' }])
  })
})
