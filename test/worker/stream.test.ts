/** Answers come page by page, each read when there is room for it; the pages together are the whole, in its order. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { app } from '../../worker/app.ts'
import { copyLatest } from './copies.ts'
import { counting } from './database.ts'
import { ask, parametersOf, request, store } from './client.ts'
import { RequestTrace } from '../../worker/http/request-trace.ts'
import { rowsResponse } from '../../worker/http/rows-response.ts'
import { tracedStream } from '../../worker/http/stream.ts'
import { at, report, resource, type Payload } from './reports.ts'

/** More than four pages of whole reports, which are 100 to a page. */
const COPIES = 420

/**
 * Reports in threes and fifties of equal values, so that pages end amid them, and every seventh with nulls.
 */
beforeAll(async () => {
  const other = { status: 'failed', environment: 'test', producer: 'other.example.com' }
  await store(
    report({ certname: 'fleet', resources: [resource()] }),
    report({
      certname: 'other',
      producer_timestamp: at(1),
      job_id: '9',
      code_id: 'urn:1',
      ...other,
    }),
  )
  await copyLatest({ r: 'fleet', o: 'other' }, COPIES, {
    id: 'r.id + 1024 * (1 + copy.value / 3) + copy.value % 3',
    node: 'iif(copy.value % 2, r.node, o.node)',
    status: 'iif(copy.value % 7, r.status, NULL)',
    environment: 'iif(copy.value / 100 % 2, r.environment, o.environment)',
    producer: 'iif(copy.value % 7, o.producer, NULL)',
    configuration_version: `'version ' || (copy.value / 50)`,
    start_time: 'r.start_time + copy.value / 50',
    end_time: 'r.end_time - copy.value / 50',
    transaction_uuid: `iif(copy.value % 3, r.transaction_uuid, iif(copy.value % 2, 'no uuid ' || (copy.value / 50), NULL))`,
    code_id: 'iif(copy.value % 11, NULL, o.code_id)',
    noop: 'iif(copy.value % 7, copy.value % 2, NULL)',
    job_id: 'iif(copy.value % 5, NULL, copy.value / 50)',
  })
})
const ALL = COPIES + 2

const readerOf = (response: Response): ReadableStreamDefaultReader<Uint8Array> =>
  response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>

/** Reads so much of a body as comes in one piece, and waits for what may happen without being asked for. */
async function readOnce(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<number> {
  const { value } = await reader.read()
  await new Promise((resolve) => setTimeout(resolve, 50))
  return value?.length ?? 0
}

describe('a long answer', () => {
  it('reads a page when the client has taken the one before, and not sooner', async () => {
    const { database, batches } = counting()
    const response = await request('/query/v4/reports', {}, database)
    // The first page, and how many rows there are: whether MAX_QUERIES is enough for them.
    expect([response.status, batches()]).toEqual([200, 2])
    const reader = readerOf(response)
    const trips: number[] = []
    for (let page = 0; page < 5; page++) {
      expect(await readOnce(reader)).toBeGreaterThan(1000)
      trips.push(batches())
    }
    expect(trips).toEqual([2, 3, 4, 5, 6])
    await reader.cancel()
  })

  it('reads nothing more for a client that has disconnected', async () => {
    const { database, batches } = counting()
    const response = await request('/query/v4/reports', {}, database)
    const reader = readerOf(response)
    await readOnce(reader)
    await reader.cancel()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(batches()).toBe(2)
  })

  it.each(['/query/v4/reports', '/pdb/admin/v1/archive'])(
    'of %s is refused before it begins where MAX_QUERIES is not enough',
    async (path) => {
      const response = await app.fetch(new Request(`http://service.example${path}`), {
        ...env,
        MAX_QUERIES: '10',
      })
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining(`The answer has ${ALL} rows; with the 10 database queries`),
      ])
    },
  )

  it('closes its source when the client disconnects in the middle', async () => {
    let closed = 0
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield await Promise.resolve(new Uint8Array(10))
      } finally {
        closed++
      }
    }
    const trace = new RequestTrace(new Request('http://service.example/'), 'off')
    const reader = tracedStream([], pieces(), trace).getReader()
    await reader.read()
    expect(closed).toBe(0)
    await reader.cancel()
    expect(closed).toBe(1)
  })

  it('is one JSON list, each report once, newest first', async () => {
    const rows: { hash: string; producer_timestamp: string }[] = await ask('/query/v4/reports')
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(ALL)
    const times = rows.map((row) => row.producer_timestamp)
    expect(times).toEqual([...times].sort().reverse())
  })

  it('is laid out for reading when asked, and the same', async () => {
    const response = await request('/query/v4/reports?pretty=true')
    const text = await response.text()
    expect(text).toMatch(/^\[ \{\n {2}"catalog_uuid" : "/)
    expect(JSON.parse(text)).toEqual(await ask('/query/v4/reports'))
  })
})

it.each([true, false])('the log has the bytes of an answer, whole: %s', async (whole) => {
  const trace = new RequestTrace(new Request('http://service.example/'), 'off')
  const options = { pretty: false, columns: null, whole, trace, headers: () => ({}) }
  const response = await rowsResponse([['{"a":1}', '{"a":2}']], 'json', options)
  expect(await response.text()).toBe('[{"a":1},{"a":2}]')
  expect(trace.bytes).toBe(17)
})

const KEYS: readonly Payload[][] = [
  [{ field: 'certname' }],
  [{ field: 'status', order: 'asc' }],
  [{ field: 'status', order: 'desc' }],
  [{ field: 'producer', order: 'asc' }],
  [{ field: 'producer', order: 'desc' }],
  [{ field: 'noop', order: 'asc' }],
  [{ field: 'noop', order: 'desc' }],
  [{ field: 'job_id', order: 'asc' }],
  [{ field: 'job_id', order: 'desc' }],
  [{ field: 'code_id', order: 'desc' }],
  [{ field: 'transaction_uuid', order: 'asc' }],
  [{ field: 'transaction_uuid', order: 'desc' }],
  [{ field: 'start_time' }],
  [{ field: 'end_time', order: 'desc' }],
  [{ field: 'producer_timestamp', order: 'asc' }],
  [{ field: 'producer_timestamp', order: 'desc' }],
  [{ field: 'environment' }, { field: 'noop', order: 'desc' }, { field: 'job_id' }],
  [{ field: 'hash' }],
  [{ field: 'type' }, { field: 'report_format' }],
]

/** Nulls last ascending, first descending; text by code point, as PostgreSQL in C collation does. */
function compare(one: Payload, other: Payload, keys: readonly Payload[]): number {
  for (const { field, order } of keys) {
    const [left, right] = [one[String(field)], other[String(field)]]
    if (left === right) continue
    const greater = left === null || (right !== null && (left as string) > (right as string))
    return greater === (order !== 'desc') ? 1 : -1
  }
  return 0
}

describe.each(KEYS.map((order_by) => [order_by]))('ordered by %j', (order_by) => {
  const columns = [...new Set(['hash', ...order_by.map(({ field }) => field)])]

  it('the pages of whole reports follow one another as in one page', async () => {
    const query = ['extract', columns]
    // Rows of a few columns come in one page of up to 2,000, whole reports in five.
    const once: Payload[] = await ask('/query/v4/reports', { query, order_by })
    const paged: Payload[] = await ask('/query/v4/reports', { order_by })
    expect(paged.map(({ hash }) => hash)).toEqual(once.map(({ hash }) => hash))
    expect(new Set(once.map(({ hash }) => hash)).size).toBe(ALL)
    for (const [index, row] of once.entries()) {
      if (index > 0) expect(compare(once[index - 1]!, row, order_by)).toBeLessThanOrEqual(0)
    }
  })
})

describe('limit and offset', () => {
  const order_by = [{ field: 'noop' }]
  it.each([
    ['a limit within the first page', { limit: 7 }, 0, 7, 1],
    ['a limit of exactly a page', { limit: 100 }, 0, 100, 1],
    ['a limit beyond a page', { limit: 250 }, 0, 250, 3],
    ['a limit beyond all', { limit: 9999 }, 0, ALL, 5],
    ['an offset alone', { offset: 417 }, 417, ALL, 1],
    ['both, across pages', { limit: 150, offset: 90 }, 90, 240, 2],
    ['an offset beyond all', { offset: 9999 }, ALL, ALL, 1],
  ])('%s', async (_, parameters, from, to, trips) => {
    const all: { hash: string }[] = await ask('/query/v4/reports', {
      query: ['extract', 'hash'],
      order_by,
    })
    const { database, batches } = counting()
    const path = `/query/v4/reports?${parametersOf({ ...parameters, order_by })}`
    const rows: { hash: string }[] = await (await request(path, {}, database)).json()
    expect(rows.map(({ hash }) => hash)).toEqual(all.slice(from, to).map(({ hash }) => hash))
    expect(batches()).toBe(trips)
  })

  it.each<[what: string, parameters: Payload, total: string | null]>([
    ['counts what there is, whatever the limit', { include_total: true, limit: 3 }, String(ALL)],
    [
      'counts what the query finds',
      { include_total: true, query: ['=', 'code_id', 'urn:1'] },
      '39',
    ],
    [
      'counts groups',
      {
        include_total: true,
        query: ['extract', ['status', ['function', 'count']], ['group_by', 'status']],
      },
      '3',
    ],
    ['counts nothing where nothing is', { include_total: true, query: ['=', 'status', 'x'] }, '0'],
    ['is not there when it was not asked for', { limit: 3 }, null],
    ['takes any word but true for false', { include_total: 'yes', limit: 3 }, null],
  ])('X-Records %s', async (_, parameters, total) => {
    const response = await request(`/query/v4/reports?${parametersOf(parameters)}`)
    expect([response.status, response.headers.get('x-records')]).toEqual([200, total])
    await response.body?.cancel()
  })
})

describe('an answer on its way', () => {
  it('holds each report once, though newer ones arrive meanwhile', async () => {
    const response = await request('/query/v4/reports', {}, counting().database)
    const reader = readerOf(response)
    const decoder = new TextDecoder()
    let text = ''
    for (let page = 0; ; page++) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
      if (page < 2) {
        await store(report({ certname: 'meanwhile', producer_timestamp: at(9_000_000 + page) }))
      }
    }
    const rows = JSON.parse(text) as { hash: string }[]
    expect([rows.length, new Set(rows.map(({ hash }) => hash)).size]).toEqual([ALL, ALL])
  })
})
