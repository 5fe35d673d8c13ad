/** Groups: their pages together are the whole, and counts leave out inactive nodes without reading every report. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { planRoot } from '../../worker/answer/ask.ts'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { parseRootQuery } from '../../worker/query/root.ts'
import { compile } from '../../worker/sql/compile.ts'
import { endOf, pageStatement, type PageRow } from '../../worker/sql/page.ts'
import type { After } from '../../worker/sql/position.ts'
import type { CompiledSelect } from '../../worker/sql/select.ts'
import { batchRead, readOne } from '../../worker/store/batch-read.ts'
import { Database } from '../../worker/store/database.ts'
import { dictionaryReader } from '../../worker/store/dictionary-reader.ts'
import { ask, costOf, JSON_TYPE, post, request, store } from './client.ts'
import { copyLatest } from './copies.ts'
import { at, NOON, report, resource } from './reports.ts'

/** More than a page had. */
const COPIES = 2500
const HOUR = 3_600_000
const FOUR_HOURS = 4 * HOUR

beforeAll(async () => {
  vi.setSystemTime(NOON + 1000)
  await store(
    report({ certname: 'fleet', resources: [resource()] }),
    report({ certname: 'other', producer_timestamp: at(1), job_id: '9', status: 'failed' }),
    report({ certname: 'gone', producer_timestamp: at(2), status: 'changed', environment: 'lost' }),
  )
  await copyLatest({ r: 'fleet', o: 'other' }, COPIES, {
    id: `r.id + 1024 * (${HOUR} + copy.value)`,
    node: 'iif(copy.value % 2, r.node, o.node)',
    status: 'iif(copy.value % 7, r.status, NULL)',
    noop: 'iif(copy.value % 5, copy.value % 2, NULL)',
    configuration_version: `'version ' || (copy.value / 50)`,
    job_id: 'iif(copy.value % 50, copy.value, NULL)',
  })
  await copyLatest({ r: 'gone' }, 40, { id: `r.id + 1024 * (${HOUR} + 5000 + copy.value)` })
  // As the trigger does that stores reports.
  await env.DB.prepare(
    'INSERT OR IGNORE INTO open_hours (hour) SELECT DISTINCT id / 3686400000 FROM reports',
  ).run()
  await closeHours(Database.primary(env.DB), NOON + FOUR_HOURS)
  vi.setSystemTime(NOON + FOUR_HOURS)
})

async function selectOf(query: string): Promise<CompiledSelect> {
  const plan = planRoot(parseRootQuery(query), null)
  if (plan.kind === 'nothing') throw new Error(`${query} asks for nothing`)
  const { selects } = await compile(plan, dictionaryReader(Database.primary(env.DB)))
  return selects[0]!
}

async function rowsOf(select: CompiledSelect, size: number): Promise<readonly PageRow[]> {
  const all: PageRow[] = []
  for (let after: After | null = null; ;) {
    const page = batchRead([pageStatement(select, after, size)], ([rows]) => rows)
    const rows = await readOne(Database.primary(env.DB), page)
    all.push(...rows)
    if (rows.length < size) return all
    after = endOf(select, rows.at(-1)!)
  }
}

describe('pages of groups together are the whole', () => {
  it.each([
    ['reports[status, count()] { group by status }', 4],
    ['reports[status, noop, count()] { group by status, noop }', 8],
    ['reports[count()] { group by status, noop }', 8],
    ['reports[status, count()] { group by status order by status desc }', 4],
    ['reports[configuration_version, count()] { group by configuration_version }', 52],
    [
      'reports[job_id, noop, max(end_time)] { configuration_version = "version 3" group by job_id, noop }',
      50,
    ],
    [
      'reports[job_id, noop, count()] { configuration_version = "version 4" group by job_id, noop order by job_id desc }',
      50,
    ],
    ['reports[noop, certname, count()] { group by noop, certname }', 6],
    ['reports[count()] { group by certname, environment }', 3],
    ['nodes[count(), report_environment] { group by report_environment }', 2],
    ['events[resource_title, count()] { group by resource_title }', 1],
  ])('%s', async (query, groups) => {
    const select = await selectOf(query)
    const whole = await rowsOf(select, 10_000)
    expect(whole).toHaveLength(groups)
    expect(await rowsOf(select, 2)).toEqual(whole)
    expect(await rowsOf(select, 1)).toEqual(whole)
  })
})

it('groups of narrow rows are read in one page', async () => {
  const query = 'reports[job_id, count()] { group by job_id }'
  const path = `/query/v4?${new URLSearchParams({ query })}`
  const response = await request(path)
  const { rowsRead, roundTrips } = costOf(response)
  const rows = await response.json<unknown[]>()
  expect(rows).toHaveLength(COPIES - COPIES / 50 + 1)
  expect(roundTrips).toBe(1)
  expect(rowsRead).toBeLessThan(4 * COPIES)
})

describe('counts of active nodes come from hour counts', () => {
  const counted = async (query: string): Promise<[rows: unknown, rowsRead: number]> => {
    const response = await request(`/query/v4?${new URLSearchParams({ query })}`)
    return [await response.json(), costOf(response).rowsRead]
  }
  const IN_ALL = COPIES + 2

  it('while every node is active', async () => {
    const [rows, rowsRead] = await counted('reports[count()] {}')
    expect(rows).toEqual([{ count: IN_ALL + 41 }])
    expect(rowsRead).toBeLessThan(100)
  })

  it('without the reports of a node that is not', async () => {
    const command = { command: 'deactivate_node', version: 3, certname: 'gone' }
    const body = JSON.stringify({ certname: 'gone', producer_timestamp: at(FOUR_HOURS) })
    expect((await post(command, body, JSON_TYPE)).status).toBe(200)
    const [rows, rowsRead] = await counted('reports[count()] {}')
    expect(rows).toEqual([{ count: IN_ALL }])
    expect(rowsRead).toBeLessThan(200)
    const [environments] = await counted('reports[environment, count()] { group by environment }')
    expect(environments).toEqual([{ environment: 'production', count: IN_ALL }])
    const [since] = await counted(`reports[count()] { producer_timestamp >= "${at(HOUR)}" }`)
    expect(since).toEqual([{ count: COPIES }])
    const [inactive] = await counted('reports[count()] { node_state = "inactive" }')
    expect(inactive).toEqual([{ count: 41 }])
  })

  it('also where no report matches', async () => {
    const [none] = await counted('reports[count()] { status = "changed" }')
    expect(none).toEqual([{ count: 0 }])
    const rows = await ask('/query/v4', {
      query: 'reports[status] { status = "changed" group by status }',
    })
    expect(rows).toEqual([])
  })
})
