/** What it takes to read a few rows of the history: pages that are unpacked, texts that are made, and that the rows are the right ones. */

import { randomBytes } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'
import { beforeAll, expect, it, vi } from 'vitest'
import '../../bench/newer-node.ts'
import { wholeReport } from '../../bench/history/whole-report.ts'
import { fleetCommands } from '../../tools/fleet/fleet.ts'
import type { ReadRow } from '../../tools/history/api-report.ts'
import { parquetGroups, readParquet } from '../../tools/history/read-parquet.ts'
import { filePath, monthPath, type HistoryBucket } from '../../worker/history/bucket.ts'
import { mergeReports } from '../../worker/history/merge-reports.ts'
import { summaryOf } from '../../worker/history/month-file.ts'
import { openBytes, openFile, startOf } from '../../worker/history/open-file.ts'
import { rowsAt } from '../../worker/history/group-rows.ts'
import { packPage, unpackPage } from '../../worker/history/packed-page.ts'
import { TableFile } from '../../worker/history/parquet.ts'
import { leavesOf } from '../../worker/history/parquet-columns.ts'
import { PartWriter } from '../../worker/history/part-writer.ts'
import { readRunsOfFiles, RUN_COLUMNS } from '../../worker/history/read-node.ts'
import { EVENT_COLUMNS, readEventsOfFiles } from '../../worker/history/read-resource.ts'
import {
  readableRuns,
  type ListedReport,
  type WholeReport,
} from '../../worker/history/read-reports.ts'
import type { RowsOfFiles } from '../../worker/history/read-rows.ts'
import { compareEvents, rowsOf } from '../../worker/history/rows.ts'
import { DAY } from '../../worker/lib/time.ts'

const FIRST = Date.UTC(2025, 0, 1) / DAY
const [EVENTS, REPORTS] = [filePath('events', FIRST, 0), filePath('reports', FIRST, 0)]
const NODES = 6
const files = new Map<string, Uint8Array>()
const bucket: HistoryBucket = {
  put: (path, bytes) => Promise.resolve(files.set(path, bytes.slice())),
  get: (path, { range } = {}) => {
    const bytes = files
      .get(path)
      ?.subarray(range?.offset ?? 0, range && range.offset + range.length)
    const arrayBuffer = () => Promise.resolve(bytes!.slice().buffer)
    return Promise.resolve(
      bytes === undefined ? null : { size: bytes.length, body: new ReadableStream(), arrayBuffer },
    )
  },
  list: () => Promise.resolve({ objects: [], truncated: false }),
  delete: () => Promise.resolve(),
}
const fileOf = (day: number) => ({
  ...{
    day,
    isDay: true,
    part: 0,
    written: 0,
    bytes: files.get(filePath('events', day, 0))!.length,
  },
})

/** Reports of a day, sorted by node. Names of two resources are ordered otherwise by UTF-16 than by code points. */
function reportsOf(day: number): WholeReport[] {
  const mix = { unchanged: 1, changed: 3, failed: 2, noop: 1 }
  const fleet = { nodes: NODES, runs: 12, start: day * DAY, intervalSeconds: 3600, seed: day, mix }
  return [...fleetCommands(fleet)]
    .map(wholeReport)
    .map((report, index) => ({
      ...report,
      events: report.events.map((event) =>
        event['resource_title'] === '/etc/motd'
          ? { ...event, resource_title: index % 2 === 0 ? '\u{1f600}' : '\ufb01' }
          : event,
      ),
    }))
    .toSorted((one, other) =>
      String(one.values['certname']) < String(other.values['certname']) ? -1 : 1,
    )
}

async function putDay(day: number, reports: readonly WholeReport[]): Promise<void> {
  const writer = await PartWriter.begin(['events'])
  await writer.add(reports)
  await writer.put(bucket, day, 0)
}

let events: readonly ReadRow[] = []
let reports: readonly ReadRow[] = []

beforeAll(async () => {
  await putDay(FIRST, reportsOf(FIRST))
  events = await readParquet(files.get(EVENTS)!)
  reports = await readParquet(files.get(REPORTS)!)
})

const readEvents = (type: string | null, title: string, whole = 0, days = [FIRST]) =>
  readEventsOfFiles(
    bucket,
    days.map(fileOf),
    { type, title, shows: () => true, whole, most: Infinity },
    { reads: 9, milliseconds: Infinity },
  )

/** What a reading takes after its file is open. */
async function costOf(
  path: string,
  read: () => Promise<RowsOfFiles>,
): Promise<{ readonly rows: number; readonly pages: number; readonly texts: number }> {
  const texts = vi.spyOn(TextDecoder.prototype, 'decode')
  const pages = vi.spyOn(zlib, 'gunzipSync')
  syncBuiltinESMExports()
  try {
    await openFile(bucket, path)
    const opening = texts.mock.calls.length
    texts.mockClear()
    const found = await read()
    expect(found.files.filter(({ isUnreadable }) => isUnreadable)).toEqual([])
    return {
      rows: found.files.flatMap(({ rows }) => rows).length,
      pages: pages.mock.calls.length,
      texts: texts.mock.calls.length - opening,
    }
  } finally {
    texts.mockRestore()
    pages.mockRestore()
    syncBuiltinESMExports()
  }
}

it('packs pages so that any reader of GZIP unpacks them, and notices damage in pages that it did not store', () => {
  for (const length of [0, 1, 300, 5000, 65_535, 65_536, 200_000])
    for (const plain of [Buffer.alloc(length, 'ab'), randomBytes(length)]) {
      const packed = packPage(plain, {})
      expect(zlib.gunzipSync(packed).equals(plain), `${length}`).toBe(true)
      expect(plain.equals(unpackPage(packed, length)), `${length}`).toBe(true)
    }
  const unpacked = packPage(randomBytes(5000), {})
  expect(unpackPage(unpacked, 5000).buffer, 'a stored page is taken as it is').toBe(unpacked.buffer)
  const plain = randomBytes(2000)
  const stored = zlib.gzipSync(plain)
  expect(stored.length).toBe(plain.length + 23)
  stored[100]! ^= 1
  expect(() => unpackPage(stored, plain.length)).toThrow()
})

it.each([
  [[{ bytes: 1_500_000 }, { bytes: 1_500_000 }], [2]],
  [
    [{ bytes: 1_500_000 }, { bytes: 1_500_001 }],
    [1, 1],
  ],
  [
    [{ bytes: 9_000_000 }, { bytes: 1 }],
    [1, 1],
  ],
  [[{ events: 2500 }, { events: 2500 }], [2]],
  [
    [{ events: 2500 }, { events: 2501 }],
    [1, 1],
  ],
])('reads reports of %j in runs of %j', (sizes, lengths) => {
  const listed = sizes.map((size) => ({ bytes: 0, events: 0, ...size }) as unknown as ListedReport)
  expect(readableRuns(listed).map(({ length }) => length)).toEqual(lengths)
})

it('writes no row group without rows', async () => {
  const file = await TableFile.begin('events')
  const before = file.size
  await file.write([])
  expect([file.size, file.rows]).toEqual([before, 0])
})

it('unpacks nothing for a resource that a row group does not have', async () => {
  expect(await costOf(EVENTS, () => readEvents('File', '/etc/none'))).toEqual({
    ...{ rows: 0, pages: 0, texts: 0 },
  })
})

it('makes the texts of the rows of a resource, and unpacks their times and nodes', async () => {
  const ofChrony = events.filter(({ resource_title: title }) => title === 'chrony')
  const { rows, pages, texts } = await costOf(EVENTS, () => readEvents('Service', 'chrony'))
  expect(rows).toBe(ofChrony.length)
  expect(rows).toBeLessThan(events.length / 2)
  expect(pages).toBeLessThanOrEqual(3)
  const distinct = (column: string): number => new Set(ofChrony.map((row) => row[column])).size
  expect(texts).toBe(distinct('status') + distinct('certname') + distinct('environment'))
})

it('reads all columns of the newest rows of all files only', async () => {
  const day = FIRST + 3
  await putDay(day, reportsOf(day))
  const pagesOf = async (whole: number, days: number[]): Promise<number> =>
    (await costOf(EVENTS, () => readEvents('Service', 'chrony', whole, days))).pages
  const [counted, newest] = [await pagesOf(0, [FIRST]), await pagesOf(3, [day])]
  expect(newest).toBeGreaterThan(counted)
  expect(await pagesOf(3, [day, FIRST])).toBe(newest + counted)
})

it('makes the texts of the runs of one node only', async () => {
  const certname = String(reports[0]!['certname'])
  const ofNode = reports.filter((row) => row['certname'] === certname)
  const { rows, texts } = await costOf(REPORTS, () =>
    readRunsOfFiles(bucket, [fileOf(FIRST)], certname, { reads: 9, milliseconds: Infinity }),
  )
  expect(rows).toBe(ofNode.length)
  expect(rows).toBe(reports.length / NODES)
  // Few columns have a text of their own for each run.
  expect(texts).toBeLessThanOrEqual(4 * rows)
})

const columnsOf = (row: ReadRow, names: readonly string[]): ReadRow =>
  Object.fromEntries(names.map((name) => [name, row[name]]))

it('gives the rows that another reader finds, with all of their columns', async () => {
  const names = [...EVENT_COLUMNS, 'report', 'configuration_version', 'producer_timestamp']
  const resources = Map.groupBy(events, (row) =>
    JSON.stringify([row['resource_type'], row['resource_title']]),
  )
  expect(resources.size).toBeGreaterThan(10)
  for (const [key, some] of resources) {
    const [type, title] = JSON.parse(key) as [string, string]
    const found = await readEvents(type, title, Infinity)
    expect(
      found.files.flatMap(({ rows }) => rows).map((row) => columnsOf(row, names)),
      key,
    ).toEqual(some.map((row) => columnsOf(row, names)))
  }
  for (const certname of new Set(reports.map((row) => String(row['certname'])))) {
    const bounds = { reads: 9, milliseconds: Infinity }
    const found = await readRunsOfFiles(bucket, [fileOf(FIRST)], certname, bounds)
    expect(found.files.flatMap(({ rows }) => rows)).toEqual(
      reports
        .filter((row) => row['certname'] === certname)
        .map((row) => columnsOf(row, RUN_COLUMNS)),
    )
  }
})

it('reads columns of several pages, as early releases wrote them', async () => {
  const day = FIRST + 1
  const path = filePath('events', day, 0)
  const file = await TableFile.begin('events')
  const leaves = leavesOf('events').map((leaf) => ({
    ...leaf,
    encoder: { ...leaf.encoder, pageSize: 300 },
  }))
  Reflect.set(file, 'leaves', leaves)
  await file.write(
    reportsOf(FIRST)
      .flatMap((report) => rowsOf(report).events)
      .toSorted(compareEvents),
  )
  files.set(path, file.finish(path).slice())
  const all = await readParquet(files.get(path)!)
  expect(all).toEqual(events)
  const found = await readEvents(null, 'chrony', Infinity, [day])
  expect(found.files.flatMap(({ rows }) => rows)).toEqual(
    all
      .filter((row) => row['resource_title'] === 'chrony')
      .map((row) => columnsOf(row, Object.keys(found.files[0]!.rows[0]!))),
  )
})

it('finds texts by code points, as statistics order them', async () => {
  const day = FIRST + 2
  const isOf = (event: WholeReport['events'][number]): boolean =>
    ['\u{1f600}', '\ufb01'].includes(String(event['resource_title']))
  await putDay(
    day,
    reportsOf(FIRST).map((report) => ({ ...report, events: report.events.filter(isOf) })),
  )
  const all = await readParquet(files.get(filePath('events', day, 0))!)
  for (const title of ['\u{1f600}', '\ufb01']) {
    const { files: found } = await readEvents('File', title, 0, [day])
    const some = all.filter((row) => row['resource_title'] === title)
    expect(some.length).toBeGreaterThan(0)
    expect(found[0]!.rows, title).toHaveLength(some.length)
  }
})

it('merges reports by code points, as the database orders the nodes of a file', async () => {
  const day = FIRST + 6
  const names = ['a', '\ufb01', '\u{1f600}']
  const reports = reportsOf(FIRST).slice(0, names.length)
  await putDay(
    day,
    reports.map((report, index) => ({
      ...report,
      values: { ...report.values, certname: names[index]! },
    })),
  )
  const { length: bytes } = files.get(filePath('reports', day, 0))!
  const source = { span: 'day', day, part: 0, bytes, first: 'a', last: '\u{1f600}' } as const
  const path = monthPath('reports', FIRST, 0)
  const merge = (after: string | null) =>
    mergeReports(bucket, path, FIRST, [source], after, () => Promise.resolve())
  const month = (await merge(null))!.slice()
  expect(summaryOf(openBytes(path, month).metadata)).toMatchObject({ first: 'a', last: names[2] })
  expect((await readParquet(month)).map((row) => row['certname'])).toEqual(names)
  const rest = (await merge('\ufb01'))!.slice()
  expect((await readParquet(rest)).map((row) => row['certname'])).toEqual(['\u{1f600}'])
})

it('keeps byte order marks at the beginning of texts', async () => {
  const [day, marked] = [FIRST + 4, '\ufeffmotd']
  const changed = reportsOf(FIRST).map((report) => ({
    values: { ...report.values, configuration_version: '\ufeff1' },
    events: report.events.map((event) => ({ ...event, resource_title: marked, message: marked })),
  }))
  await putDay(
    day,
    reportsOf(FIRST).map((report, index) => ({ ...report, ...changed[index] })),
  )
  const count = changed.flatMap((report) => report.events).length
  const { rows } = (await readEvents(null, marked, Infinity, [day])).files[0]!
  expect(rows).toHaveLength(count)
  for (const row of rows)
    expect(row).toMatchObject({
      ...{ resource_title: marked, message: marked, configuration_version: '\ufeff1' },
    })
  expect((await readParquet(files.get(filePath('events', day, 0))!))[0]).toMatchObject(rows[0]!)
})

it('reads all columns of the newest rows where a file of newer ones is damaged', async () => {
  const day = FIRST + 5
  await putDay(day, reportsOf(day))
  const path = filePath('events', day, 0)
  const file = files.get(path)!
  const { metadata } = openBytes(path, file)
  const message = metadata.row_groups[0]!.columns.find(
    ({ meta_data: meta }) => meta!.path_in_schema[0] === 'message',
  )
  const start = Number(startOf(message!.meta_data!))
  file.fill(0, start, start + 8)
  const found = await readEvents('Service', 'chrony', 3, [day, FIRST])
  expect(found.files.map(({ isUnreadable }) => isUnreadable)).toEqual([true, undefined])
  expect(found.files[1]!.rows.filter((row) => 'report' in row).length).toBeGreaterThanOrEqual(3)
})

/** Bytes of a page's head as Thrift has them: the next number follows, or any; and the numbers of RLE_DICTIONARY and PLAIN. */
const [NEXT, ANY, NUMBERED, PLAIN] = [0x15, 0x05, 0x10, 0x00]

it.each<[string, number, number]>([
  ['lacks a number', NEXT, ANY],
  ['says that plain values follow where they are in the dictionary', NUMBERED, PLAIN],
])('gives up a page whose head %s', (_, was, is) => {
  const { metadata, bytes } = openBytes(EVENTS, files.get(EVENTS)!.slice())
  const [group] = metadata.row_groups
  let damaged = 0
  for (const { meta_data: meta } of group!.columns) {
    if (meta!.dictionary_page_offset === undefined) continue
    const start = Number(meta!.data_page_offset)
    // Behind the byte with which the numbers of a page of version 2 begin.
    const at = bytes.indexOf(was, bytes.indexOf(0x5c, start))
    if (at < 0 || at > start + 24) continue
    damaged++
    bytes[at] = is
    const name = meta!.path_in_schema[0]!
    const read = () => rowsAt({ metadata, bytes, start: 0 }, group!, [0, 1], [name])
    expect(read, `${name} ${at - start}`).toThrow()
    bytes[at] = was
  }
  expect(damaged).toBeGreaterThan(5)
})

it.each(['certname', 'producer_timestamp'])(
  'a group names the bounds of its %s',
  async (column) => {
    for (const group of parquetGroups(files.get(REPORTS)!)) {
      const values = (await group.rows()).map((row) => row[column] as string | number)
      const sorted = values.toSorted((one, other) => (one < other ? -1 : 1))
      expect(group.boundsOf(column).map(plain)).toEqual([sorted[0], sorted.at(-1)].map(plain))
    }
  },
)
const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)
