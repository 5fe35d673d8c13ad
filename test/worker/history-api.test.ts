/** What the API says of the history: its days, its files, how far it is behind, and what commands leave in it. */

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { app } from '../../worker/app.ts'
import worker from '../../worker/index.ts'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { DAY } from '../../worker/lib/time.ts'
import { Database } from '../../worker/store/database.ts'
import { filesOfReport, MOST_FILES_OF_REPORT } from '../../worker/store/history-places.ts'
import { countRows, JSON_TYPE, store, type Answer } from './client.ts'
import { filesOfPart } from './history-days.ts'
import { bucket, emptyBucket } from './history-files.ts'
import { fullBucket } from './history-faults.ts'
import { NOON, report } from './reports.ts'

for (const level of ['info', 'warn'] as const)
  vi.spyOn(console, level).mockImplementation(() => undefined)

const MIDNIGHT = NOON - DAY / 2
const iso = (time: number): string => new Date(time).toISOString()
const run = (certname: string, time: number) =>
  report({
    certname,
    start_time: iso(time - 10_000),
    end_time: iso(time - 500),
    producer_timestamp: iso(time),
  })

const tick = (now: number, history: HistoryBucket, cron = '13 * * * *', more: object = {}) => {
  const controller = { scheduledTime: now, cron, noRetry: () => undefined }
  return worker.scheduled(controller, { ...env, HISTORY: history, ...more })
}
const get = (path: string, init: RequestInit = {}, more: object = {}): Promise<Response> =>
  Promise.resolve(
    app.fetch(new Request(`http://service.example${path}`, init), {
      ...env,
      HISTORY: bucket,
      ...more,
    }),
  )

beforeAll(async () => {
  await emptyBucket()
  await store(run('a', NOON), run('b', NOON), run('a', NOON + 3 * DAY), run('a', NOON + 4 * DAY))
  await tick(MIDNIGHT + 5 * DAY, bucket, '13 * * * *', { REPORT_TTL: '0', NODE_TTL: '0' })
})

it('lists days, gaps and what waits', async () => {
  const answer: Answer = await (await get('/insight/v1/history')).json()
  expect(answer).toMatchObject({
    mode: 'required',
    first: '2026-03-02',
    last: '2026-03-05',
    reports: 3,
    waiting: ['2026-03-06'],
    gaps: [{ from: '2026-03-03', until: '2026-03-04' }],
    days: [
      { date: '2026-03-02', parts: 1, reports: 2 },
      { date: '2026-03-05', parts: 1, reports: 1 },
    ],
  })
  const off: Answer = await (await get('/insight/v1/history', {}, { HISTORY: undefined })).json()
  expect(off.mode).toBe('off')
})

it('gives files, whole and in ranges', async () => {
  const path = '/admin/v1/history/reports/date=2026-03-02/000.parquet'
  const whole = await get(path)
  const bytes = new Uint8Array(await whole.arrayBuffer())
  expect([whole.status, whole.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe('PAR1')
  for (const [range, expected] of [
    ['bytes=0-3', bytes.subarray(0, 4)],
    ['bytes=-8', bytes.subarray(-8)],
    [`bytes=${bytes.length - 4}-`, bytes.subarray(-4)],
    ['bytes=4-999999999', bytes.subarray(4)],
  ] as const) {
    const part = await get(path, { headers: { range } })
    expect([range, part.status]).toEqual([range, 206])
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(expected)
  }
  expect((await get(path, { headers: { range: 'bytes=999999999-' } })).status).toBe(416)
  expect((await get(path, { method: 'HEAD' })).headers.get('content-length')).toBe(
    String(bytes.length),
  )
  for (const unknown of [
    'reports/date=2026-03-02/007.parquet',
    '..%2fsecret',
    'reports/x',
    '%E0%A4',
  ])
    expect((await get(`/admin/v1/history/${unknown}`)).status).toBe(404)
})

const HTML = { headers: { accept: 'text/html' } }
const pageOf = async (path: string, more: object = {}): Promise<string> =>
  (await get(path, HTML, more)).text()

it('takes files with fewer rows only, and lists them', async () => {
  const { files }: Answer = await (await get('/admin/v1/history/')).json()
  expect(files.map(({ path }: { path: string }) => path)).toContain(
    'reports/date=2026-03-02/000.parquet',
  )
  const path = '/admin/v1/history/reports/date=2026-03-02/000.parquet'
  const whole = new Uint8Array(await (await get(path)).arrayBuffer())
  const put = (to: string, body: Uint8Array<ArrayBuffer>): Promise<Response> =>
    get(to, { method: 'PUT', body, headers: { 'content-length': String(body.length) } })
  const ofAnotherDay = new Uint8Array(
    await (await get('/admin/v1/history/reports/date=2026-03-05/000.parquet')).arrayBuffer(),
  )
  const fleet = { nodes: 1, runs: 1, start: MIDNIGHT, intervalSeconds: 3600, seed: 1 }
  const mix = { unchanged: 1, changed: 0, failed: 0, noop: 0 }
  const fewer = (await filesOfPart({ ...fleet, mix }, 0)).get(
    'reports/date=2026-03-02/000.parquet',
  )!
  for (const [to, body, status] of [
    [path, new TextEncoder().encode('PAR1 no parquet PAR1'), 400],
    [path.replace('2026-03-02', '2026-03-05'), whole, 400],
    [path.replace('000', '001'), whole, 404],
    [path, ofAnotherDay, 400],
    [path, fewer, 204],
    [path, whole, 400],
  ] as const)
    expect([to, (await put(to, new Uint8Array(body))).status]).toEqual([to, status])
  const large = await get(path, {
    method: 'PUT',
    body: fewer,
    headers: { 'content-length': '32000001' },
  })
  expect(large.status).toBe(413)
  await bucket.put('reports/date=2026-03-02/000.parquet', whole)
})

it('names one file more than are read for a report, so that it says which were not', async () => {
  const parts = Array.from({ length: 70 }, (_, part) => `(15000, ${part}, 1, 1, 'a', 'z', 0)`)
  await env.DB.exec(
    `insert into history_parts (day, part, reports, bytes, first, last, written) values ${parts.join(',')}`,
  )
  const [places] = await Database.primary(env.DB).batch([filesOfReport('many', 15_000)])
  expect(places).toHaveLength(MOST_FILES_OF_REPORT + 1)
  await env.DB.exec('delete from history_parts where day = 15000')
})

it("is named by the console's page of an unknown report", async () => {
  const path = `/console/reports/${'0'.repeat(40)}`
  expect((await get(path, HTML)).status).toBe(404)
  const reach = 'The history holds reports from 2026-03-02 to 2026-03-05: npm run history'
  expect(await pageOf(path)).toContain(
    `It is not in the 2 parts of the history that were searched. ${reach}`,
  )
  expect(await pageOf(path, { HISTORY: undefined })).toMatch(new RegExp(`before [^.]+\\. ${reach}`))
  const failing = { ...bucket, get: () => Promise.reject(new Error('The bucket is away.')) }
  expect(await pageOf(path, { HISTORY: failing })).toContain(reach)
})

it('is named where pages reach back as far as the database', async () => {
  const reach =
    /reports from 2026-03-02 12:00[^<]* on\. The\s+history holds 2026-03-02 to 2026-03-05/
  const node = await pageOf('/console/nodes/a')
  expect(node).toMatch(reach)
  expect(node).toContain('from reports where certname = &#39;a&#39; order by 1')
  const changes = await pageOf('/console/changes?resource=File[/etc/motd]&node=o%27x')
  expect(changes).toMatch(reach)
  expect(changes).toContain(
    '= &#39;File[/etc/motd]&#39; and certname = &#39;o&#39;&#39;x&#39; order by 1',
  )
  // Logs are the largest part of the history, so their search says how much of it is read.
  const search = await pageOf('/console/search?q=Not+found')
  expect(search).toMatch(reach)
  expect(search).toMatch(
    /contains\(lower\(message\), &#39;not found&#39;\) order by 1&quot;<\/code>\s+reads up to 1 MB\./,
  )
})

it('has the lag among the metrics, where there is a history', async () => {
  const text = await (await get('/metrics')).text()
  expect(text).toMatch(/report_service_history_days_waiting 1\n/)
  expect(text).toMatch(/report_service_history_lag_seconds [1-9]\d+/)
  const without = await (await get('/metrics', {}, { HISTORY: undefined })).text()
  expect(without).not.toContain('report_service_history')
})

it('tells a hook once a day that it is behind', async () => {
  const body = JSON.stringify({ transition: 'history-behind', url: 'https://hooks.example/x' })
  await get('/admin/v1/hooks/late', { method: 'PUT', body, headers: JSON_TYPE })
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response('')))
  const notify = (now: number) => tick(now, bucket, '*/5 * * * *')
  const later = Date.now() + DAY
  await notify(later)
  await notify(later + 60_000)
  expect(await countRows("deliveries where body like '%The history lacks 2026-03-06%'")).toBe(1)
  await get('/admin/v1/hooks/late', { method: 'DELETE' })
})

it('keeps clean from deleting what it does not hold, and says what delete leaves', async () => {
  const command = (body: object): Promise<Response> =>
    get('/admin/v1/cmd', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ version: 1, ...body }),
    })
  const cleaned = async (payload: readonly string[]): Promise<Answer> =>
    (await command({ command: 'clean', payload })).json()
  const [first]: Answer[] = await (
    await get('/pdb/query/v4/reports?query=["=","certname","b"]')
  ).json()
  await store(run('b', NOON + 4 * DAY), run('b', NOON + 4 * DAY + 60_000))
  await tick(MIDNIGHT + 8 * DAY, fullBucket(), '13 * * * *', { NODE_TTL: '0', REPORT_TTL: '0' })
  const before = await countRows('reports')
  const waiting = await cleaned(['purge_reports'])
  expect(waiting.steps).toContainEqual(
    expect.objectContaining({ step: 'purge_reports', complete: false, waitsForHistory: true }),
  )
  expect(waiting.waiting).toContain('GET /insight/v1/history')
  expect(waiting.history).toContain('The history keeps its reports from 2026-03-02 to 2026-03-05')
  const left = await countRows(`reports where id >= ${(MIDNIGHT + 4 * DAY) * 1024}`)
  expect(left).toBe(3)
  expect(await countRows('reports')).toBeLessThan(before)
  const deleted: Answer = await (
    await command({ command: 'delete', payload: { certname: 'b' } })
  ).json()
  expect(deleted.deleted).toBe('b')
  expect(deleted.history).toContain('npm run history -- forget')
  expect(await pageOf(`/console/reports/${first!.hash}`)).toMatch(
    /This report is from the history[^<]* reports\/date=2026-03-02\/000.parquet/,
  )

  // Once the history has the day, nothing waits any more.
  await tick(MIDNIGHT + 8 * DAY, bucket, '13 * * * *', { NODE_TTL: '0', REPORT_TTL: '0' })
  const rest = await cleaned(['purge_reports'])
  expect(rest.waiting).toBeUndefined()
  expect(rest.steps.every(({ complete }: { complete: boolean }) => complete)).toBe(true)
})
