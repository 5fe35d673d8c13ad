/** A database that an older version of the service made answers the same once the newer migrations are applied. */

import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { Database } from '../../worker/store/database.ts'
import { parametersOf, request, store, submit, textOf } from './client.ts'
import { counting } from './database.ts'
import { RUNS } from './fleets.ts'
import { at, event, report, resource, type Payload } from './reports.ts'

/** Tables of 0001 that have another name today. */
const RENAMED: Readonly<Record<string, string>> = {
  words: 'strings',
  subjects: 'resources',
  sweeps: 'retention_progress',
  spared_reports: 'protected_reports',
}

interface Asked {
  readonly path: string
  readonly parameters: Payload
}

const QUESTIONS: readonly Asked[] = [
  { path: '/query/v4/reports', parameters: { order_by: [{ field: 'hash' }] } },
  {
    path: '/query/v4/reports',
    parameters: { order_by: [{ field: 'start_time', order: 'desc' }], limit: 3 },
  },
  {
    path: '/query/v4/reports',
    parameters: { query: ['extract', [['function', 'count'], 'status'], ['group_by', 'status']] },
  },
  { path: '/query/v4/events', parameters: { query: ['~', 'resource_title', 'motd'] } },
  {
    path: '/query/v4/event-counts',
    parameters: { query: ['=', 'certname', 'web1'], summarize_by: 'resource' },
  },
  { path: '/query/v4/nodes', parameters: {} },
  { path: '/query/v4/environments', parameters: {} },
  { path: '/insight/v1/causes', parameters: {} },
  { path: '/insight/v1/nodes', parameters: {} },
]

/** The text of each answer, from an isolate that remembers nothing of the database. */
async function answers(): Promise<readonly string[]> {
  const texts: string[] = []
  for (const { path, parameters } of QUESTIONS) {
    const { database } = counting()
    texts.push(await textOf(await request(`${path}?${parametersOf(parameters)}`, {}, database)))
  }
  return texts
}

/** Names of the tables that migrations make. */
async function tables(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
  ).all<{ name: string }>()
  return results.map(({ name }) => name)
}

/** D1 hands bytes out as lists of numbers. */
const asParameter = (value: unknown): unknown =>
  Array.isArray(value) ? new Uint8Array(value as number[]) : value

async function rowsOf(table: string): Promise<readonly (readonly unknown[])[]> {
  const rows = await env.DB.prepare(`SELECT * FROM ${table}`).raw()
  return rows.map((row) => row.map(asParameter))
}

/** Puts rows of today's tables into those of the first migration, whose columns have kept their order. */
async function fill(table: string, rows: readonly (readonly unknown[])[]): Promise<void> {
  const { results } = await env.DB.prepare('SELECT name FROM pragma_table_info(?)')
    .bind(table)
    .all()
  const marks = results.map(() => '?').join(', ')
  for (const row of rows) {
    await env.DB.prepare(`INSERT INTO ${table} VALUES (${marks})`)
      .bind(...row.slice(0, results.length))
      .run()
  }
}

const FLEET: readonly Payload[] = [
  report({ certname: 'web1', ...RUNS['F'] }),
  report({ certname: 'web2', ...RUNS['C'], producer_timestamp: at(-60_000) }),
  report({ certname: 'web2', ...RUNS['e'] }),
  report({ certname: 'strays', start_time: '2020-01-01T00:00:00.000Z' }),
  report({ certname: 'far', producer_timestamp: '9000-01-01T00:00:00.000Z' }),
  report({ certname: 'db1', environment: 'test', transaction_uuid: 'no uuid' }),
  report({
    certname: 'long',
    resources: [resource({ events: [event({ new_value: 'x'.repeat(120_000) })] })],
  }),
]

describe('a database of the first migration', () => {
  let before: readonly string[]

  beforeAll(async () => {
    await store(...FLEET)
    await closeHours(Database.primary(env.DB), Date.now())
    before = await answers()
    const today = (await tables()).filter((name) => name !== 'd1_migrations')
    const rows = new Map<string, readonly (readonly unknown[])[]>()
    for (const table of today) rows.set(table, await rowsOf(table))
    for (const table of await tables()) await env.DB.prepare(`DROP TABLE ${table}`).run()
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS.slice(0, 1))
    const first = (await tables()).filter((name) => name !== 'd1_migrations')
    for (const table of first) await fill(table, rows.get(RENAMED[table] ?? table) ?? [])
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  })

  it('has held rows in the tables that later ones rename', async () => {
    const counts = await Promise.all(['strings', 'resources', 'events'].map(rowsOf))
    expect(counts.map(({ length }) => length > 0)).toEqual([true, true, true])
  })

  it.each(
    QUESTIONS.map(
      ({ path, parameters }, index) => [path, JSON.stringify(parameters), index] as const,
    ),
  )('answers %s %s as it did', async (_path, _parameters, index) => {
    // Since when first sights are known follows from the counts, which older versions have not made.
    const since = /"first_seen_since":[^,]+/
    expect((await answers())[index]!.replace(since, '')).toBe(before[index]!.replace(since, ''))
    expect(before[index]!.length).toBeGreaterThan(30)
  })

  it.each([
    [1, 'production'],
    [4, 'failed'],
  ])('has among the strings of kind %i %s', async (kind, value) => {
    const count = await env.DB.prepare(
      'select count(*) as count from strings where kind = ? and value = ?',
    )
      .bind(kind, value)
      .first('count')
    expect(count).toBe(1)
  })

  it('accepts reports, and recognises stored ones', async () => {
    const { database } = counting()
    const stored = report({ certname: 'web3', ...RUNS['F'] })
    expect((await submit(stored, {}, database)).status).toBe(200)
    expect((await submit(FLEET[0]!, {}, database)).status).toBe(200)
    const reports = await env.DB.prepare('SELECT count(*) AS count FROM reports').first('count')
    expect(reports).toBe(FLEET.length + 1)
  })
})
