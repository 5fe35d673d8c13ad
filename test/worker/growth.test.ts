/**
 * What every endpoint, insight and page reads from a small fleet and from a larger one. `growth.txt` has the table: who makes
 * one grow has to change it, with `npx vitest run --project worker test/worker/growth.test.ts -u`.
 */

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { PAGES } from '../../worker/console/pages.ts'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { groupHours } from '../../worker/housekeeping/group-hours.ts'
import { ENDPOINTS } from '../../worker/http/queries/endpoints.ts'
import { PANELS } from '../../worker/insight/panels.ts'
import type { Parameter, Statement } from '../../worker/sql/statement.ts'
import { Database } from '../../worker/store/database.ts'
import { ask, request, textOf } from './client.ts'
import { around, planOf, recording } from './database.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import recorded from './growth.txt?raw'
import { emptyDatabase } from './migrated-database.ts'
import { NOON } from './reports.ts'

/** Nodes, runs of each, and of what the runs came to. The larger fleet has four times the nodes and eight times the reports. */
const FLEETS = [
  { nodes: 5, runs: 6 },
  { nodes: 20, runs: 12 },
] as const
const LETTERS = '--CF-D'

/** Rows and bytes may differ from the table by a tenth, or by this number; statements may not. */
const TOLERANCE = 0.1
const SLACK = 5

/** What pages and panels don't answer without, by their path. */
const PARAMETERS: Readonly<Record<string, string>> = {
  '/insight/v1/changes/years': 'resource=File%5B/etc/motd%5D',
  '/insight/v1/complete': 'q=nodes%20%7B',
  '/insight/v1/explain': 'query=nodes%20%7B%7D',
  '/insight/v1/logs': 'q=nginx',
  '/insight/v1/search': 'q=node',
  '/insight/v1/nodes/:certname/series': 'metric=time.total',
  '/console/changes/years': 'resource=File%5B/etc/motd%5D',
  '/console/compare': 'a=node-1&b=node-2',
  '/console/search': 'q=node',
  '/query/v4/event-counts': 'summarize_by=certname&query=["~","certname",""]',
  '/query/v4/aggregate-event-counts': 'summarize_by=certname&query=["~","certname",""]',
}

/** Entities that are not stored. */
const NOT_FOUND = /\/(catalogs|factsets)\/:node$/
/** Pages that lead to another one. */
const REDIRECTED: Readonly<Record<string, number>> = { '/console/reports/:hash/diff': 302 }

/** Views of a panel that read in other ways than the first. */
const FURTHER: readonly string[] = [
  '/insight/v1/causes?since=7d&kind=corrective',
  '/insight/v1/changes?since=7d&class=Absent',
  '/insight/v1/changes?certname=node-1',
  '/insight/v1/reports?state=failed',
  '/insight/v1/timeline?certname=node-1',
  '/insight/v1/trends?since=7d',
  '/metrics',
  '/metrics/v1/mbeans',
  '/status/v1/services',
  '/admin/v1/retention',
  '/admin/v1/summary-stats',
]

/** Read again when no node has reported for half a day. */
const OF_SILENT_FLEET: readonly string[] = [
  '/insight/v1/fleet',
  '/insight/v1/nodes',
  '/insight/v1/deploys',
  '/console',
  '/metrics',
]
const HALF_A_DAY = 24 * HALF_HOUR

const QUERIES: readonly string[] = [
  'reports[count()] {}',
  'reports[status, count()] { group by status }',
  'reports[certname, count()] { group by certname }',
  'reports[certname, max(end_time)] { group by certname }',
  'reports[hash] { order by producer_timestamp desc limit 10 }',
  'reports[hash] { certname = "node-1" }',
  'nodes[certname] { latest_report_status = "failed" }',
  'nodes[certname] { certname in events[certname] { status = "failure" } }',
  'events[resource_title, count()] { status = "failure" group by resource_title }',
  'events[message] { message ~ "absent" limit 10 }',
]

interface Cost {
  readonly rows: number
  readonly statements: number
  readonly bytes: number
}

/** The addresses of a fleet: every query endpoint, panel and page with the names of this fleet. */
async function addresses(): Promise<ReadonlyMap<string, string>> {
  const [{ hash }] = await ask('/query/v4/reports', {
    query: ['and', ['=', 'certname', 'node-1'], ['=', 'status', 'failed']],
    order_by: [{ field: 'producer_timestamp', order: 'desc' }],
  })
  const [cause] = (await ask('/insight/v1/causes')).items
  const [deploy] = (await ask('/insight/v1/deploys', { since: '30d' })).items
  const names: Readonly<Record<string, string>> = {
    certname: 'node-1',
    node: 'node-1',
    hash,
    pair: `${hash}..${hash}`,
    cause: cause.cause,
    environment: 'production',
    version: deploy.code_version,
    producer: 'puppet.example.com',
  }
  const filled = (path: string): string =>
    path.replace(/:(\w+)(\{.*\})?/g, (_, name: string) => names[name] ?? `no-${name}`)
  const paths = [
    ...ENDPOINTS.filter(([path]) => path !== '').map(([path]) => `/query/v4${path}`),
    ...PANELS.map(({ path }) => `/insight/v1${path}`),
    ...PAGES.map(({ path }) => `/console${path}`),
  ]
  return new Map([
    ...paths.map((path): [string, string] => {
      const parameters = PARAMETERS[path]
      return [path, filled(path) + (parameters === undefined ? '' : `?${parameters}`)]
    }),
    ...FURTHER.map((path): [string, string] => [path, path]),
    ...QUERIES.map((query): [string, string] => [
      query,
      `/query/v4?${new URLSearchParams({ query })}`,
    ]),
  ])
}

async function costsOf({ nodes, runs }: (typeof FLEETS)[number]): Promise<Map<string, Cost>> {
  await emptyDatabase()
  const letters = LETTERS.repeat(runs / LETTERS.length)
  const numbers = Array.from({ length: nodes }, (_, index) => index + 1)
  await storeInTime(
    ...numbers.flatMap((number) =>
      // Each node is at another letter of the row, and runs a second after the one before.
      runsOf(`node-${number}`, turned(letters, number), number * 1000, {
        code_id: (number % 2 === 0 ? 'a1' : 'b2').repeat(20),
      }),
    ),
  )
  const closed = await closeHours(Database.primary(env.DB), NOON + 2 * HALF_HOUR)
  await groupHours(Database.primary(env.DB), Date.now(), closed)
  const costs = new Map<string, Cost>()
  let [rows, statements] = [0, 0]
  const database = around(async (send, asked) => {
    const results = await send()
    statements += asked
    for (const { meta } of results) rows += meta.rows_read
    return results
  })
  const measure = async (name: string, address: string): Promise<void> => {
    // The first request also reads texts that an isolate keeps.
    await textOf(await request(address, {}, database))
    ;[rows, statements] = [0, 0]
    const response = await request(address, {}, database)
    const { length } = await textOf(response)
    const expected = NOT_FOUND.test(name) ? 404 : (REDIRECTED[name] ?? 200)
    expect([address, response.status]).toEqual([address, expected])
    costs.set(name, { rows, statements, bytes: length })
  }
  for (const [name, address] of await addresses()) await measure(name, address)
  vi.setSystemTime(NOON + HALF_A_DAY)
  for (const address of OF_SILENT_FLEET) await measure(`${address}, all silent`, address)
  return costs
}

const turned = (letters: string, by: number): string => {
  const from = by % LETTERS.length
  return letters.slice(from) + letters.slice(0, from)
}

const FIGURES = ['rows', 'statements', 'bytes'] as const

/** A line of the table: each figure of both fleets. */
const lineOf = (name: string, costs: readonly Cost[]): string =>
  [
    ...FIGURES.map((figure) =>
      costs
        .map((cost) => String(cost[figure]))
        .join(' → ')
        .padEnd(16),
    ),
    name,
  ].join('  ')

/** The figures of a recorded line; none for another text. */
const figuresIn = (line: string): readonly number[] =>
  (/^[\d →]+/.exec(line)?.[0].match(/\d+/g) ?? []).map(Number)

function isAsRecorded(line: string, before: string | undefined): boolean {
  if (before === undefined) return false
  const noted = figuresIn(before)
  return figuresIn(line).every((figure, index) => {
    const known = noted[index] ?? NaN
    if (FIGURES[index >> 1] === 'statements') return figure === known
    return Math.abs(figure - known) <= Math.max(SLACK, known * TOLERANCE)
  })
}

let small: ReadonlyMap<string, Cost>
let large: ReadonlyMap<string, Cost>

beforeAll(async () => void (small = await costsOf(FLEETS[0])))
beforeAll(async () => void (large = await costsOf(FLEETS[1])))

const HEAD = `${['rows read', 'statements', 'bytes'].map((name) => name.padEnd(16)).join('  ')}  of`

it('every address costs what the table says', async () => {
  const lines = [...small].map(([name, cost]) => lineOf(name, [cost, large.get(name)!]))
  const nameIn = (line: string): string => line.slice(HEAD.length - 2)
  const known = new Map(recorded.split('\n').map((line) => [nameIn(line), line]))
  const differing = lines.filter((line) => !isAsRecorded(line, known.get(nameIn(line))))
  const names = new Set(lines.map(nameIn))
  const gone = [...known.keys()].filter((name) => name !== '' && name !== 'of' && !names.has(name))
  const isSame = differing.length === 0 && gone.length === 0
  const table = isSame ? recorded : `${[HEAD, ...lines].join('\n')}\n`
  await expect(table).toMatchFileSnapshot('growth.txt')
})

const MINUTE = 60_000
/** The statements that an address sends, so many ms after noon. */
async function statementsOf(address: string, after: number): Promise<readonly Statement[]> {
  vi.setSystemTime(NOON + after)
  const { database, statements } = recording()
  await textOf(await request(address, {}, database))
  return statements
}
/** The same with its times in its text, and its other parameters numbered. */
function withTimes({ sql, params }: Statement): Statement {
  let greatest = 0
  const others: Parameter[] = []
  const numbers = new Map<number, number>()
  const token = /'[^']*'|"[^"]*"|cast\(\?(?<time>\d+) as integer\)|\?(?<number>\d*)/g
  const text = sql.replace(token, (found, time?: string, number?: string) => {
    if (!found.includes('?') || /^['"]/.test(found)) return found
    const before = time ?? (number || String(greatest + 1))
    greatest = Math.max(greatest, Number(before))
    const value = params[Number(before) - 1]!
    if (time !== undefined && typeof value === 'number' && value > 1e12) return String(value)
    if (!numbers.has(Number(before))) numbers.set(Number(before), others.push(value))
    return found.replace(/\?\d*/, `?${numbers.get(Number(before))}`)
  })
  return { sql: text, params: others }
}

it('the statements of every address have the same texts a minute later, so that SQLite compiles them once', async () => {
  for (const [name, address] of await addresses()) {
    const [now, later] = [
      await statementsOf(address, 5 * MINUTE),
      await statementsOf(address, 6 * MINUTE),
    ]
    expect([name, later.map(({ sql }) => sql)]).toEqual([name, now.map(({ sql }) => sql)])
  }
})

it('times that are bound change no plan', async () => {
  let changed = 0
  for (const address of [...(await addresses()).values()]) {
    for (const statement of await statementsOf(address, 5 * MINUTE)) {
      const written = withTimes(statement)
      if (!/\d{13}/.test(written.sql) || /^explain/.test(statement.sql)) continue
      changed++
      expect(await planOf(statement)).toEqual(await planOf(written))
    }
  }
  expect(changed).toBeGreaterThan(50)
})
