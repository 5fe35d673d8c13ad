/** The history of a service of one's own: Parquet files in DATA/history, which DuckDB reads and counts as the API does. */

import { statSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wholeReport } from '../../bench/history/whole-report.ts'
import { monthOf, monthPath, readPath, type HistoryBucket } from '../../worker/history/bucket.ts'
import { copyTable } from '../../worker/history/copy-table.ts'
import { mergeReports } from '../../worker/history/merge-reports.ts'
import { PartWriter } from '../../worker/history/part-writer.ts'
import { DAY } from '../../worker/lib/time.ts'
import { HISTORY_TABLE_NAMES } from '../../worker/schema/history-tables.ts'
import { fleetCommands } from '../../tools/fleet/fleet.ts'
import { DUCKDB_VERSION } from '../../tools/history/duckdb.ts'
import { historyCommand } from '../../tools/history/history-command.ts'
import { QUESTIONS, valuesFor } from '../../tools/history/questions.ts'
import { openHistory } from '../../tools/history/sql.ts'
import { importCommand } from '../../tools/import/import-command.ts'
import { serveHistory } from '../../worker/local/host/history-folder.ts'
import { askUnix } from '../../worker/local/host/unix-request.ts'
import type { Service } from '../../worker/local/service.ts'
import { ROOT, startLocalService } from './local-service.ts'
import { printedBy } from './printed.ts'
import { until } from './until.ts'

const START = Date.UTC(2026, 2, 2)
const DAYS = 3
/** Runs that begin at midnight end before the next: the last interval is a part of the day. */
const FLEET = { nodes: 10, runs: DAYS * 8, start: START, intervalSeconds: 10_800 }
let data: string
let service: Service
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'history-'))
  service = await startLocalService({ LOG_REQUESTS: 'off' }, { data })
  for (const { command, version, payload } of fleetCommands(FLEET)) {
    const response = await fetch(`${service.url}/pdb/cmd/v1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ command, version, payload }),
    })
    expect(response.status).toBe(200)
  }
})
afterAll(async () => {
  await service.stop()
  await rm(data, { recursive: true })
})

const ask = async (path: string, query: unknown): Promise<Record<string, unknown>[]> => {
  const response = await fetch(
    `${service.url}${path}?${new URLSearchParams({ query: JSON.stringify(query) })}`,
  )
  return response.json<Record<string, unknown>[]>()
}

it("has DuckDB's counts of each day equal to the API's", async () => {
  const iso = (day: number): string => new Date(START + day * DAY).toISOString()
  const counted: unknown[] = []
  for (let day = 0; day < DAYS; day++) {
    const span = (field: string): unknown[] => [
      ['>=', field, iso(day)],
      ['<', field, iso(day + 1)],
    ]
    const [reports] = await ask('/query/v4/reports', [
      'extract',
      [['function', 'count']],
      ['and', ['=', 'type', 'any'], ...span('producer_timestamp')],
    ])
    const [events] = await ask('/query/v4/events', [
      'extract',
      [['function', 'count']],
      [
        'in',
        'report',
        ['extract', 'hash', ['select_reports', ['and', ...span('producer_timestamp')]]],
      ],
    ])
    counted.push([iso(day).slice(0, 10), reports!['count'], events!['count']])
  }
  expect(counted.every((row) => Number((row as unknown[])[1]) > 50)).toBe(true)

  const database = await (await DuckDBInstance.create()).connect()
  const folder = join(data, 'history')
  // Two days are archived; then the third is, and all of them are compacted.
  for (const [day, names] of [
    [DAYS, ['date=2026-03-02', 'date=2026-03-03']],
    [DAYS + 3, ['month=2026-03']],
  ] as const) {
    await service.tick(undefined, new Date(START + day * DAY))
    for (const table of HISTORY_TABLE_NAMES)
      expect((await readdir(join(folder, table))).toSorted(), table).toEqual(names)
    const found = await database.runAndReadAll(`
    select strftime(producer_timestamp, '%Y-%m-%d'), count(*), sum(event_count) from read_parquet('${folder}/reports/*/*.parquet') group by 1 order by 1`)
    const archived = day === DAYS ? counted.slice(0, 2) : counted
    expect(found.getRows().map((row) => [row[0], ...row.slice(1).map(Number)])).toEqual(archived)
    const events = await database.runAndReadAll(`
    select strftime(producer_timestamp, '%Y-%m-%d'), count(*) from read_parquet('${folder}/events/*/*.parquet') group by 1 order by 1`)
    expect(events.getRows().map((row) => Number(row[1]))).toEqual(
      archived.map((row) => (row as unknown[])[2]),
    )
  }
  const [sums] = (
    await database.runAndReadAll(`
    select (select count(*) from read_parquet('${folder}/logs/*/*.parquet')) as logs, (select sum(log_count) from read_parquet('${folder}/reports/*/*.parquet')) as counted,
      (select sum(len(map_keys(metrics))) from read_parquet('${folder}/metrics/*/*.parquet')) as metrics, (select sum(metric_count) from read_parquet('${folder}/reports/*/*.parquet')) as of_reports`)
  ).getRowObjects()
  expect(sums!['logs']).toEqual(sums!['counted'])
  expect(sums!['metrics']).toEqual(sums!['of_reports'])
})

/** Every report with the causes of its events and log lines, as one query reads files of all versions. */
const BOTH_VERSIONS = `select strftime(producer_timestamp, '%Y-%m') as month, state, causes,
  (select list_distinct(list(e.cause)) from events e where e.report = r.hash and e.status = 'failure') as of_events,
  (select list(l.cause) from logs l where l.report = r.hash and l.cause is not null) as of_logs
from reports r order by producer_timestamp`

it('one query reads a year of both versions', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'history-year-')), 'history')
  // Two days without the columns that were added since: three nodes, four runs each. Then a day in each month.
  await cp(join(ROOT, 'test/fixtures/history-1'), folder, { recursive: true })
  await writeDays(folder, [4, 5, 6, 7, 8, 9, 10, 11])
  const rows = await readHistory(folder, BOTH_VERSIONS)
  const everything = await everyValue(folder)
  // The months of both versions are compacted, and answer the same.
  for (const month of [Date.UTC(2025, 0), Date.UTC(2025, 3), Date.UTC(2025, 4)])
    await compactMonth(folder, month / DAY)
  const months = await readdir(join(folder, 'reports'))
  expect(months.filter((name) => name.startsWith('month=')).length).toBe(3)
  expect(await readHistory(folder, BOTH_VERSIONS)).toEqual(rows)
  expect(await everyValue(folder)).toEqual(everything)
  // A node is taken out of compacted months too, and nothing else is.
  const ofMay =
    "select min(certname) as certname from reports where strftime(producer_timestamp, '%m') = '05'"
  const certname = String((await readHistory(folder, ofMay))[0]!['certname'])
  const said = await printed(() =>
    historyCommand(['forget', certname, '--yes', '--folder', folder]),
  )
  expect(said).toMatch(/^reports\/month=2025-05\/000\.parquet: 4 of 12 rows$/m)
  const others = everything.filter((row) => !row.includes(JSON.stringify(['certname', certname])))
  expect(await everyValue(folder)).toEqual(others)
  await rm(join(folder, '..'), { recursive: true })
  expect(rows.map(({ month }) => month)).toEqual(
    ['01', '04', '05', '06', '07', '08', '09', '10', '11', '12'].flatMap((month) =>
      Array.from({ length: 12 }, () => `2025-${month}`),
    ),
  )
  const older = rows.filter(({ month }) => String(month) < '2025-05')
  expect(new Set(older.map(({ state, causes }) => JSON.stringify([state, causes])))).toEqual(
    new Set(['[null,null]']),
  )
  const newer = rows.filter(({ month }) => String(month) >= '2025-05')
  const failed = newer.filter(({ state }) => state === 'failed')
  expect(failed.length).toBeGreaterThan(20)
  expect(failed.some(({ of_logs: logs }) => logs !== null)).toBe(true)
  for (const { causes, of_events: events, of_logs: logs } of failed) {
    const named = [...((events ?? []) as string[]), ...((logs ?? []) as string[])]
    expect(named.toSorted()).toEqual((causes as string[]).toSorted())
  }
  for (const { state, causes } of newer)
    if (state !== 'failed') expect([state, causes]).toEqual([expect.any(String), []])
})

it('compacts the days of an older history beside a new database, whose pages read them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'history-old-'))
  const history = join(folder, 'history')
  await writeDays(history, [0, 3])
  const everything = await everyValue(history)
  const sql = `select certname, resource_type || '[' || resource_title || ']' as resource, count(*)::int as changes
    from events where status <> 'skipped' group by all order by 3 desc, 1, 2 limit 1`
  const [most] = await readHistory(history, sql)
  const other = await startLocalService(
    { LOG_REQUESTS: 'off', REPORT_TTL: '14d' },
    { data: folder },
  )
  try {
    await until(async () => {
      await other.tick(undefined, new Date('2025-06-01T00:00:00Z'))
      expect((await readdir(join(history, 'reports'))).toSorted()).toEqual([
        'month=2025-01',
        'month=2025-04',
      ])
    })
    expect(await everyValue(history)).toEqual(everything)
    const insight = async (path: string): Promise<Record<string, unknown>> =>
      (await fetch(`${other.url}/insight/v1${path}`)).json()
    const certname = String(most!['certname'])
    expect(await insight(`/nodes/${certname}/years`)).toMatchObject({
      runs: 8,
      looked: { from: null, files: 2, reads: 4, unreadable: [] },
    })
    const asked = new URLSearchParams({ resource: String(most!['resource']), certname })
    expect(await insight(`/changes/years?${asked}`)).toMatchObject({
      changes: most!['changes'],
      looked: { from: null, files: 2, reads: 2, unreadable: [] },
    })
  } finally {
    await other.stop()
    await rm(folder, { recursive: true })
  }
})

/** Writes the fifteenth day of months of 2025: three nodes, four runs each. */
async function writeDays(folder: string, months: readonly number[]): Promise<void> {
  const bucket = {
    put: async (key: string, bytes: Uint8Array) => {
      await mkdir(join(folder, key, '..'), { recursive: true })
      await writeFile(join(folder, key), bytes)
      return {}
    },
    delete: () => Promise.resolve(),
  } as unknown as HistoryBucket
  const mix = { unchanged: 1, changed: 1, failed: 2, noop: 0 }
  for (const month of months) {
    const start = Date.UTC(2025, month, 15)
    const fleet = { nodes: 3, runs: 4, start, intervalSeconds: 3600, seed: 7 + month, mix }
    const part = await PartWriter.begin(['events', 'logs', 'metrics'])
    await part.add([...fleetCommands(fleet)].map(wholeReport))
    await part.put(bucket, start / DAY, 0)
  }
}

/** Every value of every row, in one order. */
async function everyValue(folder: string): Promise<string[]> {
  const queries = HISTORY_TABLE_NAMES.map(
    (table) => `select '${table}' as name, to_json(t)::varchar as row from ${table} t`,
  )
  const rows = await readHistory(folder, queries.join(' union all '))
  return rows
    .map(({ name, row }) => {
      const values = Object.entries(JSON.parse(String(row)) as object).toSorted()
      return JSON.stringify([name, values])
    })
    .toSorted()
}

/** Compacts the days of a month, as housekeeping does. */
async function compactMonth(folder: string, month: number): Promise<void> {
  const get = async (
    key: string,
    { range }: { range?: { offset: number; length: number } } = {},
  ) => {
    const file = await readFile(join(folder, key)).catch(() => null)
    const bytes = file?.subarray(range?.offset ?? 0, range && range.offset + range.length)
    return bytes ? { arrayBuffer: () => Promise.resolve(new Uint8Array(bytes).buffer) } : null
  }
  const bucket = { get } as unknown as HistoryBucket
  for (const table of HISTORY_TABLE_NAMES) {
    const files = (await readdir(join(folder, table), { recursive: true })).flatMap((name) => {
      const place = readPath(`${table}/${name}`)
      if (place === null || place.span === 'month' || monthOf(place.day) !== month) return []
      const path = join(folder, table, name)
      return [{ ...place, path, bytes: statSync(path).size, first: '', last: 'zz' }]
    })
    const to = monthPath(table, month, 0)
    const merged =
      table === 'reports'
        ? await mergeReports(bucket, to, month, files, null, () => Promise.resolve())
        : await copyTable(bucket, to, table, month, files)
    const path = join(folder, to)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, merged!)
    for (const file of files) await rm(file.path)
  }
}

/** Rows of a query over a folder, as `npm run history -- sql` reads it. */
async function readHistory(folder: string, sql: string): Promise<Record<string, unknown>[]> {
  const connection = await openHistory(folder)
  return (await connection.runAndReadAll(sql)).getRowObjectsJson()
}

it('leaves no draft behind', async () => {
  const names = await readdir(join(data, 'history'), { recursive: true })
  expect(names.filter((name) => name.endsWith('.partial'))).toEqual([])
  expect(names.filter((name) => name.endsWith('.parquet')).length).toBe(4)
})

/** Runs a command, and gives what it prints. @throws the outcome of one that fails */
const printed = async (command: () => Promise<number>): Promise<string> => {
  const outcome = await printedBy(command)
  if (outcome.code !== 0) throw Object.assign(new Error(outcome.err), outcome)
  return outcome.out
}

/** All reports of a service, but for when it received them and where. */
async function wholeReports(url: string): Promise<unknown[]> {
  const query = new URLSearchParams({ query: '["=","type","any"]' })
  const rows = await (await fetch(`${url}/query/v4/reports?${query}`)).json<{ hash: string }[]>()
  return rows
    .toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
    .map((row) => ({ ...row, receive_time: null }))
}

it('rebuilds a database whose answers are the same', async () => {
  const rebuilt = await startLocalService({ LOG_REQUESTS: 'off' })
  try {
    const folder = join(data, 'history')
    const said = await printed(() => importCommand([folder, '--to', rebuilt.url], data))
    const before = await wholeReports(service.url)
    expect(before.length).toBeGreaterThan(200)
    expect(await wholeReports(rebuilt.url), said).toEqual(before)
  } finally {
    await rebuilt.stop()
  }
})

describe('a query of docs/how-to/keep-years-of-history.md', async () => {
  const page = await readFile(join(ROOT, 'docs/how-to/keep-years-of-history.md'), 'utf8')
  const queries = new Map(
    [...page.matchAll(/^([^\n]+):\n\n```sql\n(.*?)```/gms)].map(([, title, sql]) => [title!, sql!]),
  )
  const rowsOf = async (title: string, folder: string): Promise<Record<string, unknown>[]> => {
    const database = await (await DuckDBInstance.create()).connect()
    const answer = await database.runAndReadAll(queries.get(title)!.replaceAll('HISTORY', folder))
    return answer.getRowObjectsJson()
  }

  it('has its answer here', () => {
    expect([...queries.keys()].sort()).toEqual([
      'Failures per month and class',
      'Slowest resources, if senders report them (`http` and agents, not the terminus)',
    ])
  })

  it('finds the failures of each class', async () => {
    const classes = new Map<string, { failures: number; nodes: Set<string> }>()
    for (const { payload } of fleetCommands(FLEET))
      for (const { containment_path, events } of payload.resources) {
        const failures = events.filter(({ status }) => status === 'failure').length
        if (failures === 0) continue
        const name = containment_path.findLast((part) => /^[A-Z][^[]*$/.test(part))!
        const seen = classes.get(name) ?? { failures: 0, nodes: new Set() }
        classes.set(name, {
          failures: seen.failures + failures,
          nodes: seen.nodes.add(payload.certname),
        })
      }
    const rows = await rowsOf('Failures per month and class', join(data, 'history'))
    expect(rows.length).toBeGreaterThan(3)
    expect(
      rows
        .map((row) => [row['containing_class'], Number(row['failures']), Number(row['nodes'])])
        .sort(),
    ).toEqual(
      [...classes].map(([name, { failures, nodes }]) => [name, failures, nodes.size]).sort(),
    )
  })

  it('finds the slowest resources of a report that names them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slowest-'))
    const other = await startLocalService({ LOG_REQUESTS: 'off' }, { data: folder })
    const report = await readFile(
      join(ROOT, 'test/fixtures/transaction-reports/failed.yaml'),
      'utf8',
    )
    const sent = await fetch(`${other.url}/reports`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-yaml' },
      body: report,
    })
    expect(sent.status).toBe(200)
    await other.tick(undefined, new Date('2026-11-26T00:00:00Z'))
    const [row] = await rowsOf(
      [...queries.keys()].find((title) => title.startsWith('Slowest'))!,
      join(folder, 'history'),
    )
    await other.stop()
    await rm(folder, { recursive: true })
    expect(row).toEqual({ type: 'Exec', title: 'fails', milliseconds: 68 })
  })
})

it('serves the folder on connections that are used once, and nothing beside its files', async () => {
  const socket = join(data, 'socket')
  const server = await serveHistory(join(data, 'history'), socket)
  const listed = await askUnix(socket, { path: '/?prefix=reports/' })
  expect(listed.headers.connection).toBe('close')
  expect(JSON.parse(listed.body.toString())).toHaveLength(1)
  for (const path of ['/../service.run', '/%2e%2e/service.run', '/reports'])
    expect((await askUnix(socket, { path })).status).toBe(404)
  server.close()
})

describe('history ask', () => {
  const ask = (...words: string[]): Promise<string> =>
    printed(() => historyCommand(['ask', ...words, '--folder', join(data, 'history')]))
  const options = {
    ...{ certname: 'web-0000.ams.example.net', type: 'File', title: '/etc/motd', text: 'a' },
    ...{ since: '2026-03-02', until: '2026-03-04' },
  }

  it.each(QUESTIONS.map(({ name }) => [name]))('%s is answered', async (name) => {
    const question = QUESTIONS.find((one) => one.name === name)!
    const connection = await openHistory(join(data, 'history'))
    const rowsOf = async (given: Partial<typeof options>): Promise<number> => {
      const answer = await connection.runAndReadAll(question.sql, valuesFor(question, given))
      return answer.getRows().length
    }
    expect(await rowsOf(options)).toBeGreaterThan(0)
    expect(await rowsOf({ ...options, since: '2026-03-05' })).toBe(0)
  })

  it('slow-types lists types of resources, not phases of the run', async () => {
    const rows = JSON.parse(await ask('slow-types', '--format', 'json')) as { type: string }[]
    const types = rows.map(({ type }) => type)
    expect(types).toContain('package')
    expect(
      types.filter((type) =>
        /^(?:total|plugin_sync|.*_(?:retrieval|catalog|evaluation|generation|application|time))$/.test(
          type,
        ),
      ),
    ).toEqual([])
  })

  it('takes what a question needs, and a span', async () => {
    const words = ['--certname', options.certname, '--since', '2026-03-04', '--format', 'json']
    const rows = JSON.parse(await ask('node', ...words)) as unknown[]
    expect(rows).toHaveLength(8)
  })

  it('writes csv, json and Parquet with the same rows', async () => {
    const connection = await openHistory(join(data, 'history'))
    for (const format of ['csv', 'json', 'parquet']) {
      const file = join(data, `nodes.${format}`)
      expect(await ask('nodes', '--format', format, '--output', file)).toBe('')
      const [row] = (
        await connection.runAndReadAll(`select count(*), sum(runs) from '${file}'`)
      ).getRows()
      expect(row!.map(Number), format).toEqual([10, 10 * DAYS * 8])
    }
    const shown = JSON.parse(await ask('nodes', '--format', 'json')) as { runs: unknown }[]
    expect(shown).toEqual(JSON.parse(await readFile(join(data, 'nodes.json'), 'utf8')))
    expect(shown[0]!.runs).toBe(DAYS * 8)
  })

  it.each([
    [['nod'], "Unknown question 'nod'. Did you mean 'node'?"],
    [['node'], "'node' needs --certname, a node."],
    [
      ['nodes', '--format', 'cvs'],
      "Unknown format 'cvs'. Formats are table, csv, json, parquet. Did you mean 'csv'?",
    ],
    [['nodes', '--format', 'parquet'], 'Parquet is written to a file: --output FILE.'],
    [['nodes', '--format', 'table', '--output', 'x'], 'A table is for terminals.'],
  ])('%j is refused', async (words, sentence) => {
    await expect(ask(...words)).rejects.toMatchObject({
      code: 2,
      err: expect.stringContaining(sentence),
    })
  })

  it('installs the DuckDB that is tested here', async () => {
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>
    }
    expect(devDependencies['@duckdb/node-api']).toBe(DUCKDB_VERSION)
  })
})

it('answers SQL, and forgets a node in a folder and in a service', async () => {
  const history = (...words: string[]): Promise<string> =>
    printed(() => historyCommand([...words, '--folder', join(data, 'history')]))
  const [, first, second, third] = (
    await history('sql', 'select distinct certname from reports order by 1 limit 3')
  ).split('\n')
  const count = async (table: string, certname: string): Promise<number> => {
    const connection = await openHistory(join(data, 'history'))
    const sql = `select count(*) from ${table} where certname = $certname`
    return Number((await connection.runAndReadAll(sql, { certname })).getRows()[0]![0])
  }
  const others = await count('metrics', second!)
  expect(await history('forget', first!)).toContain('Nothing was changed')
  expect(await count('reports', first!)).toBeGreaterThan(0)
  expect(await history('forget', first!, '--yes')).toContain('check-database -- --repair')
  for (const table of ['reports', 'events', 'logs', 'metrics'])
    expect(await count(table, first!), table).toBe(0)
  // Wherever the service has its history, a bucket too.
  const remote = ['forget', third!, '--service', service.url]
  const runs = await count('reports', third!)
  expect(runs).toBeGreaterThan(0)
  expect(await history(...remote)).toContain('Nothing was changed')
  expect(await count('reports', third!)).toBe(runs)
  await history(...remote, '--yes')
  for (const table of ['reports', 'events', 'logs', 'metrics'])
    expect(await count(table, third!), table).toBe(0)
  expect(await count('metrics', second!)).toBe(others)
  expect(others).toBeGreaterThan(0)
})

it("keeps its files from other users, and names the file that it can't write", async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'history-modes-')), 'history')
  const socket = join(folder, '..', 'socket')
  const server = await serveHistory(folder, socket)
  const path = 'reports/date=2026-03-02/000.parquet'
  const put = (): Promise<{ status: number; body: Buffer }> =>
    askUnix(socket, { method: 'PUT', path: `/${path}`, body: 'a part' })
  expect((await put()).status).toBe(200)
  const modes = [folder, join(folder, 'reports'), join(folder, path, '..'), join(folder, path)].map(
    (name) => statSync(name).mode & 0o777,
  )
  expect(modes).toEqual([0o700, 0o700, 0o700, 0o600])
  await rm(join(folder, path, '..'), { recursive: true })
  await writeFile(join(folder, path, '..'), 'no folder')
  const { status, body } = await put()
  expect([status, body.toString()]).toEqual([500, expect.stringContaining(join(folder, path))])
  server.close()
  await rm(join(folder, '..'), { recursive: true })
})
