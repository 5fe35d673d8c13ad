/** The life of a node beyond the database: what it is answered with, how many reads that takes, and who sees which runs. */

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { fleetCommands, type FleetOptions } from '../../tools/fleet/fleet.ts'
import { app } from '../../worker/app.ts'
import { dateOf, type HistoryBucket } from '../../worker/history/bucket.ts'
import { readRunsOfFiles } from '../../worker/history/read-node.ts'
import type { WholeReport } from '../../worker/history/read-reports.ts'
import { unreadablePaths } from '../../worker/history/read-rows.ts'
import { DAY } from '../../worker/lib/time.ts'
import { store, type Answer } from './client.ts'
import { tokenLine } from './closed.ts'
import { compactAt, countingBucket, filesOfPart } from './history-days.ts'
import { bucket, emptyBucket, rowsByFile } from './history-files.ts'
import { methods } from './history-faults.ts'
import { event, report, resource } from './reports.ts'
import type { ReadRow } from '../../tools/history/api-report.ts'

for (const level of ['info', 'warn', 'error'] as const)
  vi.spyOn(console, level).mockImplementation(() => undefined)

const MONTHS = 13
const firstOf = (month: number): number => Date.UTC(2024, month, 1) / DAY
/** The year ends with January 2025. Each month has two days. */
const DAYS = Array.from({ length: MONTHS }, (_, month) => [firstOf(month), firstOf(month + 1) - 1])
const RUNS = 4
/** After the compaction, a day of February that waits for its month. */
const OPEN_DAY = firstOf(MONTHS)

const fleetOf = (day: number): FleetOptions & { readonly start: number } => ({
  ...{ nodes: 2, runs: RUNS, start: day * DAY, intervalSeconds: 3600, seed: day },
  mix: { unchanged: 1, changed: 1, failed: 1, noop: 0 },
})

/** Every second run is of the environment `test`. */
function inTwoEnvironments(): (report: WholeReport) => WholeReport {
  let count = 0
  return (one) => ({
    ...one,
    values: { ...one.values, environment: count++ % 2 === 0 ? 'production' : 'test' },
  })
}

async function putDay(day: number): Promise<void> {
  const files = await filesOfPart(fleetOf(day), 0, inTwoEnvironments())
  for (const [path, bytes] of files) await bucket.put(path, bytes)
  await env.DB.exec(
    `insert into history_parts (day, part, reports, bytes, first, last, written) values (${day}, 0, 1, 1, '', 'y', 0)`,
  )
}

let certname = ''
let other = ''
/** The rows of the node, the newest first. */
let rows: readonly ReadRow[] = []

beforeAll(async () => {
  await emptyBucket()
  for (const days of DAYS) for (const day of days) await putDay(day)
  const compacted = await compactAt((OPEN_DAY + 60) * DAY, { DB: env.DB, HISTORY: methods })
  expect(compacted).toEqual({ months: MONTHS, files: MONTHS * 4, failure: null })
  await putDay(OPEN_DAY)
  const all = [...(await rowsByFile('reports')).values()].flat()
  const names = [...new Set(all.map((row) => String(row['certname'])))].toSorted()
  ;[certname, other] = [names[0]!, names[1]!]
  rows = all
    .filter((row) => row['certname'] === certname)
    .toSorted((a, b) => Number(b['producer_timestamp']) - Number(a['producer_timestamp']))
  expect(rows).toHaveLength((2 * MONTHS + 1) * RUNS)
})

const get = async (path: string, more: object = {}, init: RequestInit = {}): Promise<Response> =>
  app.fetch(new Request(`http://service.example${path}`, init), {
    ...env,
    HISTORY: bucket,
    ...more,
  })
const yearsOf = async (name: string, search = '', more: object = {}): Promise<Answer> => {
  const response = await get(`/insight/v1/nodes/${name}/years?${search}`, more)
  expect(response.status).toBe(200)
  return response.json()
}
const timeOf = (row: ReadRow): string => new Date(Number(row['producer_timestamp'])).toISOString()
const countOf = (some: readonly ReadRow[], state: string): number =>
  some.filter((row) => row['state'] === state).length

it('answers a year by two reads for a month and one for a day, and says how far it looked', async () => {
  const counting = countingBucket()
  const { looked, months, runs, failed, next } = await yearsOf(certname, '', {
    HISTORY: counting.bucket,
  })
  // A year before the open day: February 2024 to January 2025, and the open day.
  expect(looked).toMatchObject({
    from: '2024-02-01T00:00:00.000Z',
    files: 13,
    reads: 25,
    unreadable: [],
  })
  expect(counting.reads()).toBe(25)
  const year = rows.slice(0, 25 * RUNS)
  expect([runs, failed]).toEqual([year.length, countOf(year, 'failed')])
  expect(failed).toBeGreaterThan(0)
  const january = year.filter((row) => timeOf(row).startsWith('2025-01'))
  expect(months.map(({ month }: Answer) => month)).toEqual([
    '2025-02',
    '2025-01',
    ...Array.from({ length: 11 }, (_, index) => `2024-${String(12 - index).padStart(2, '0')}`),
  ])
  expect(months[1]).toMatchObject({
    runs: january.length,
    failed: countOf(january, 'failed'),
    changed: countOf(january, 'changed'),
    corrective: countOf(january, 'corrective'),
    events: january.reduce((sum, row) => sum + Number(row['event_count']), 0),
  })
  const rest = await yearsOf(certname, `cursor=${next}`)
  expect(rest).toMatchObject({ runs: 2 * RUNS, next: null })
  expect(rest.looked).toMatchObject({ from: null, until: looked.from, reads: 2 })
})

it('shows each stretch of failed runs with its causes, versions, and what changed the node', async () => {
  const answer = await yearsOf(certname, 'limit=500')
  const year = rows.slice(0, 25 * RUNS).toReversed()
  const stretches: ReadRow[][] = []
  for (const [index, row] of year.entries()) {
    if (row['state'] !== 'failed') continue
    if (index > 0 && year[index - 1]!['state'] === 'failed') stretches.at(-1)!.push(row)
    else stretches.push([row])
  }
  expect(stretches.length).toBeGreaterThan(3)
  expect(
    answer.failures.map(({ since, runs, report, last_report, causes }: Answer) => ({
      since,
      runs,
      report,
      last_report,
      causes: causes.map(({ cause }: Answer) => cause),
    })),
  ).toEqual(
    stretches.toReversed().map((some) => ({
      since: timeOf(some[0]!),
      runs: some.length,
      report: some[0]!['hash'],
      last_report: some.at(-1)!['hash'],
      causes: [...new Set(some.toReversed().flatMap((row) => row['causes'] as string[]))],
    })),
  )
  const changed = year.filter((row) => ['changed', 'corrective'].includes(String(row['state'])))
  expect(answer.changes.map(({ hash }: Answer) => hash)).toEqual(
    changed.toReversed().map((row) => row['hash']),
  )
  const agents = new Set(year.map((row) => row['agent_version']))
  expect(new Set(answer.agent_versions.map(({ version }: Answer) => version))).toEqual(agents)
})

it('exports all runs, and shows the years on a page', async () => {
  const csv = await (await get(`/insight/v1/nodes/${certname}/years.csv`)).text()
  const [head, ...lines] = csv.trimEnd().split('\r\n')
  expect(head).toBe(
    'time,hash,state,noop,environment,seconds,events,code_version,agent_version,causes',
  )
  expect(lines.map((line) => line.split(',')[1])).toEqual(rows.map(({ hash }) => hash))
  const limited = await (await get(`/insight/v1/nodes/${certname}/years.csv?limit=3`)).text()
  expect(limited.trimEnd().split('\r\n')).toHaveLength(4)
  const path = `/console/nodes/${certname}/years`
  const html = await (await get(path, {}, { headers: { accept: 'text/html' } })).text()
  expect(html).toContain(`Years of ${certname}`)
  expect(html).toContain('13 files of the history, in 25 reads.')
  expect(html).toContain('Median run')
  expect(html).toContain(`/console/reports/${String(rows[0]!['hash'])}?certname=${certname}&amp;`)
  const exported = await (await get(`${path}.csv`)).text()
  expect(exported).toBe(csv)
})

it('shows restricted readers the runs that their restrictions allow', async () => {
  const bindings = {
    ACCESS: 'closed',
    CONSOLE_KEY: 'k'.repeat(40),
    TOKENS: [
      tokenLine('node', 'read', `certname=${certname}`),
      tokenLine('test', 'read', 'environment=test'),
      tokenLine('all', 'read'),
    ].join('\n'),
  }
  const as = (token: string, path: string): Promise<Response> =>
    get(path, bindings, { headers: { 'x-authentication': token } })
  const years = `/insight/v1/nodes/${certname}/years`
  const all: Answer = await (await as('all', years)).json()
  expect(await (await as('node', years)).json()).toMatchObject({ runs: all.runs })
  const statusesOf = async (row: ReadRow): Promise<number[]> => {
    const responses = ['all', 'node', 'test'].map((token) => as(token, reportPath(row)))
    return (await Promise.all(responses)).map(({ status }) => status)
  }
  expect(await statusesOf(rows.find((row) => row['environment'] === 'test')!)).toEqual([
    200, 200, 200,
  ])
  const ofOther = [...(await rowsByFile('reports')).values()].flat()
  expect(
    await statusesOf(
      ofOther.find((row) => row['certname'] === other && row['environment'] === 'production')!,
    ),
  ).toEqual([200, 404, 404])
  const hidden = await as('node', `/insight/v1/nodes/${other}/years`)
  const unknown = await as('node', '/insight/v1/nodes/nobody/years')
  expect([hidden.status, unknown.status]).toEqual([404, 404])
  expect((await hidden.text()).replaceAll(other, 'nobody')).toBe(await unknown.text())
  const ofTest = rows.filter((row) => row['environment'] === 'test').map(({ hash }) => hash)
  expect(ofTest.length).toBeGreaterThan(0)
  expect(ofTest.length).toBeLessThan(rows.length)
  const csv = await (await as('test', `${years}.csv`)).text()
  const seen = csv.trimEnd().split('\r\n').slice(1)
  expect(seen.map((line) => line.split(',')[1])).toEqual(ofTest)
  const tested: Answer = await (await as('test', years)).json()
  const months = (some: Answer) =>
    some.months.reduce((sum: number, { runs }: Answer) => sum + runs, 0)
  expect(tested.runs).toBe(months(tested))
  expect(
    tested.failures.every(({ causes }: Answer) =>
      causes.every((one: Answer) => one.reason === null),
    ),
  ).toBe(true)
})

const reportPath = (row: ReadRow): string =>
  `/insight/v1/reports/${String(row['hash'])}?${new URLSearchParams({ certname: String(row['certname']), producer_timestamp: timeOf(row) })}`

it('shows a report that the database has no more as the database showed it, in a few reads', async () => {
  const ofMonth = rows.findLast((row) => row['state'] === 'failed')!
  const ofDay = rows.find((row) => row['state'] !== 'unchanged')!
  for (const [row, files] of [
    [ofMonth, 'month=2024-01'],
    [ofDay, 'date=2025-02-01'],
  ] as const) {
    const counting = countingBucket()
    const response = await get(reportPath(row), { HISTORY: counting.bucket })
    const {
      archived,
      is_latest: _,
      previous,
      next,
      last_good,
      ...shown
    } = await response.json<Answer>()
    expect([archived.unreadable, archived.reads]).toEqual([[], counting.reads()])
    expect(counting.reads()).toBeLessThanOrEqual(8)
    expect(archived.files).toContain(`reports/${files}/000.parquet`)
    const place = rows.indexOf(row)
    expect([next?.hash ?? null, previous?.hash ?? null]).toEqual(
      [rows[place - 1], rows[place + 1]].map((one) =>
        one !== undefined && timeOf(one).slice(0, 7) === timeOf(row).slice(0, 7)
          ? one['hash']
          : null,
      ),
    )
    expect(last_good === null || last_good.state !== 'failed').toBe(true)
    const command = [...fleetCommands(fleetOf(Math.floor(Date.parse(timeOf(row)) / DAY)))].find(
      ({ payload }) =>
        payload.certname === certname &&
        Date.parse(payload.producer_timestamp) === Number(row['producer_timestamp']),
    )!
    await store(command.payload)
    const stored: Answer = await (await get(`/insight/v1/reports/${String(row['hash'])}`)).json()
    const same = { environment: row['environment'], receive_time: shown.receive_time }
    for (const name of ['is_latest', 'previous', 'next', 'last_good']) delete stored[name]
    expect(shown).toEqual({ ...stored, ...same })
    await env.DB.exec('delete from reports')
  }
  const page = `/console/reports/${String(ofMonth['hash'])}`
  const hint = reportPath(ofMonth).slice(reportPath(ofMonth).indexOf('?'))
  const html = await (await get(page + hint, {}, { headers: { accept: 'text/html' } })).text()
  expect(html).toContain('This report is from the history')
  expect(html).toContain('Why it failed')
  expect(html).toMatch(
    new RegExp(`href="/console/reports/[0-9a-f]{40}\\?certname=${certname}[^"]+"`),
  )
  const csv = await (await get(`${page}.csv${hint}`)).text()
  expect(csv.trimEnd().split('\r\n').length).toBe(1 + Number(ofMonth['event_count']))
  expect((await get(page, {}, { headers: { accept: 'text/html' } })).status).toBe(200)
  expect((await get(reportPath({ ...ofMonth, certname: other }))).status).toBe(404)
  expect((await get(`${page}?certname=x&producer_timestamp=y`)).status).toBe(400)
  expect((await get(reportPath(ofMonth), { HISTORY: undefined })).status).toBe(404)
})

it('names files that are damaged or missing, and answers with the others', async () => {
  const path = 'reports/month=2024-06/000.parquet'
  const failing: HistoryBucket = {
    ...methods,
    get: (key, options) =>
      key === path ? Promise.reject(new Error('The disk is gone.')) : methods.get(key, options),
  }
  const answer = await yearsOf(certname, '', { HISTORY: failing })
  expect(answer.looked.unreadable).toEqual([path])
  expect(answer.runs).toBe(23 * RUNS)
  const page = await get(`/console/nodes/${certname}/years`, { HISTORY: failing })
  expect(await page.text()).toContain(path)
})

it('stops at a number of reads, and goes on where it stopped', async () => {
  const day = 15_000
  const many = Array.from(
    { length: 150 },
    (_, n) => `(${day + n}, 0, 1, 1, 'zz-many', 'zz-many', 0)`,
  )
  await env.DB.exec(
    `insert into history_parts (day, part, reports, bytes, first, last, written) values ${many.join(',')}`,
  )
  await store(report({ certname: 'zz-many' }))
  const pages: Answer[] = [await yearsOf('zz-many')]
  while (pages.at(-1)!.next !== null)
    pages.push(await yearsOf('zz-many', `cursor=${pages.at(-1)!.next}`))
  expect(pages.map(({ looked }) => [looked.reads, looked.from])).toEqual([
    [64, `${dateOf(day + 86)}T00:00:00.000Z`],
    [64, `${dateOf(day + 22)}T00:00:00.000Z`],
    [22, null],
  ])
  await env.DB.exec(`delete from history_parts where day < ${day + 150}`)
  expect((await get('/insight/v1/nodes/many/years?cursor=x')).status).toBe(400)
})

it('adds the runs that the history does not have yet, each once, and needs no history', async () => {
  const { runs } = await yearsOf(certname)
  const time = new Date((OPEN_DAY + 1) * DAY).toISOString()
  const times = { producer_timestamp: time, start_time: time, end_time: time }
  const events = ['success', 'failure', 'noop', 'skipped'].map((status) => event({ status }))
  await store(report({ certname, ...times, resources: [resource({ events })] }))
  expect((await yearsOf(certname)).runs).toBe(runs + 1)
  const alone = await yearsOf(certname, '', { HISTORY: undefined })
  expect(alone).toMatchObject({ runs: 1, next: null, looked: { from: null, reads: 0 } })
  expect(alone.months).toMatchObject([{ runs: 1, events: events.length }])
  const node = await get(`/console/nodes/${certname}`)
  expect(await node.text()).toContain(`/console/nodes/${certname}/years`)
  expect((await get('/insight/v1/nodes/nobody/years')).status).toBe(404)
})

it('answers as before, or names the file, whichever byte of it is another', async () => {
  const path = 'reports/month=2024-03/000.parquet'
  const whole = new Uint8Array(await (await bucket.get(path))!.arrayBuffer())
  const month = {
    day: Date.UTC(2024, 2) / DAY,
    isDay: false,
    part: 0,
    written: 0,
    bytes: whole.length,
  }
  const read = async () => {
    const bounds = { reads: Infinity, milliseconds: Infinity }
    const found = await readRunsOfFiles(methods, [month], certname, bounds)
    const runs = found.files.flatMap(({ rows }) => rows.map((row) => Object.values(row).join()))
    return { runs, unreadable: unreadablePaths(found) }
  }
  const { runs } = await read()
  expect(runs).toHaveLength(2 * RUNS)
  const wrong: number[] = []
  for (let place = 0; place < whole.length; place += 37) {
    await bucket.put(
      path,
      whole.map((byte, at) => (at === place ? byte ^ 4 : byte)),
    )
    const answer = await read()
    const isAsBefore = JSON.stringify(answer.runs) === JSON.stringify(runs)
    if (!isAsBefore && !answer.unreadable.includes(path)) wrong.push(place)
  }
  await bucket.put(path, whole)
  expect(wrong).toEqual([])
})

it('names the files of a report that are too many to be read', async () => {
  const [row] = rows.filter((one) => Number(one['producer_timestamp']) >= OPEN_DAY * DAY)
  const path = `/insight/v1/reports/${row!['hash']}?certname=${certname}&producer_timestamp=${timeOf(row!)}`
  const read = async (): Promise<Answer> => (await get(path)).json()
  expect((await read()).archived.unreadable).toEqual([])
  const values = Array.from({ length: 60 }, (_, n) => `(${OPEN_DAY}, ${n + 1}, 1, 1, '', 'y', 0)`)
  await env.DB.exec(
    `insert into history_parts (day, part, reports, bytes, first, last, written) values ${values.join(',')}`,
  )
  expect((await read()).archived.unreadable).toContain(
    `reports/date=${dateOf(OPEN_DAY)}/060.parquet`,
  )
  await env.DB.exec(`delete from history_parts where part > 0`)
})
