/** A first run of a large node: stored whole beyond D1's limits of rows and parameters, and read back page by page. */

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { counting } from './database.ts'
import {
  ask,
  costOf,
  JSON_TYPE,
  parametersOf,
  post,
  request,
  store,
  storeReport,
} from './client.ts'
import { at, event, report, resource, type Payload } from './reports.ts'

const EVENTS = 20_000
const LINES = 40_000
/** More than a row of D1 holds; with characters of one, two, three and four bytes. */
const LONG_MESSAGE = 'long ä€🦊'.repeat(300_000)

const sha1 = (value: unknown): string =>
  createHash('sha1').update(JSON.stringify(value)).digest('hex')

const resources = Array.from({ length: EVENTS }, (_, index) => ({
  skipped: false,
  timestamp: at(index),
  resource_type: 'File',
  resource_title: `/srv/application/releases/current/file-${index}`,
  file: `/code/modules/application/manifests/part-${index % 50}.pp`,
  line: index % 300,
  containment_path: ['Stage[main]', 'Application', `File[/srv/file-${index % 2000}]`],
  corrective_change: false,
  events: [
    {
      status: 'success',
      timestamp: at(index),
      property: 'ensure',
      name: 'file_created',
      old_value: 'absent',
      new_value: { mode: '0644', size: index },
      message: index === 777 ? LONG_MESSAGE : `defined content as '{sha256}${index}'`,
      corrective_change: false,
    },
  ],
}))
const logs = Array.from({ length: LINES }, (_, index) => ({
  file: null,
  line: null,
  level: 'notice',
  message: `line ${index}: ${'what the agent had to say about it, '.repeat(5)}${sha1(index)}`,
  source: `/Stage[main]/Application/File[/srv/file-${index % 2000}]/ensure`,
  tags: ['notice', 'file', 'application'],
  time: new Date(Date.parse(at(index))).toISOString(),
}))
const metrics = Array.from({ length: 500 }, (_, index) => ({
  category: 'time',
  name: `type ${index}`,
  value: index / 8,
}))

const big = report({ certname: 'big', status: 'changed', resources, logs, metrics })
/** What events come back as, those of the report itself left out. */
const eventsBack = resources.map(({ events: [one], skipped: _, ...resource }) => ({
  ...resource,
  ...one,
  containing_class: 'Application',
}))

const body = JSON.stringify(big)
let hash = ''
let cost: ReturnType<typeof costOf>

beforeAll(async () => {
  const response = await request(`/cmd/v1?${parametersOf(storeReport('big'))}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
    body: gzipSync(body, { level: 1 }),
  })
  expect(await response.json()).toEqual({ uuid: expect.any(String) })
  cost = costOf(response)
  const query = ['extract', 'hash', ['=', 'certname', 'big']]
  const [row]: { hash: string }[] = await ask('/query/v4/reports', { query })
  hash = row!.hash
})

/** Values of rows in the order of names of the expected ones. */
const like = (rows: readonly Payload[], expected: Payload): unknown[] =>
  rows.map((row) => Object.keys(expected).map((name) => row[name]))

const sorted = (rows: Payload[]): Payload[] =>
  rows.sort((one, other) => (String(one['timestamp']) < String(other['timestamp']) ? -1 : 1))

describe('a report of some 20 MB', () => {
  it('has that size, and is stored in one round trip', () => {
    expect(Buffer.byteLength(body)).toBeGreaterThan(20_000_000)
    expect(cost.roundTrips).toBe(1)
    expect(cost.rowsWritten).toBeLessThan(4 * EVENTS)
  })

  it.each([
    ['logs', logs],
    ['metrics', metrics],
  ])('has its %s by themselves', async (part, expected) => {
    const rows: Payload[] = await ask(`/query/v4/reports/${hash}/${part}`)
    expect(rows).toHaveLength(expected.length)
    expect(sha1(like(rows, expected[0]!))).toBe(sha1(like(expected, expected[0]!)))
  })

  it('has its events by themselves, some at a time', async () => {
    const { database, batches } = counting()
    const response = await request(`/query/v4/reports/${hash}/events`, {}, database)
    const rows = sorted(await response.json())
    expect(rows).toHaveLength(EVENTS)
    expect(sha1(like(rows, eventsBack[0]!))).toBe(sha1(like(eventsBack, eventsBack[0]!)))
    expect(batches()).toBeGreaterThan(EVENTS / 2500)
  })

  it('is in the list of reports with all of that, among others', async () => {
    const small = ['before', 'after'].map((certname, index) =>
      post(storeReport(certname), JSON.stringify(report({ certname, end_time: at(index) }))),
    )
    await Promise.all(small)
    const response = await request('/query/v4/reports')
    const rows = await response.json<Payload[]>()
    expect(rows).toHaveLength(3)
    const row = rows.find(({ certname }) => certname === 'big')!
    const data = (part: string) => (row[part] as { data: Payload[] }).data
    expect(sha1(like(data('logs'), logs[0]!))).toBe(sha1(like(logs, logs[0]!)))
    expect(data('metrics')).toEqual(metrics)
    const events = sorted(data('resource_events'))
    expect(sha1(like(events, eventsBack[0]!))).toBe(sha1(like(eventsBack, eventsBack[0]!)))
  })

  it('has its long message found by where it is', async () => {
    const query = [
      'extract',
      ['message'],
      ['=', 'resource_title', '/srv/application/releases/current/file-777'],
    ]
    const [row]: { message: string }[] = await ask('/query/v4/events', { query })
    expect(sha1(row!.message)).toBe(sha1(LONG_MESSAGE))
  })

  it('is counted by its thousands of files, each once', async () => {
    const query = [
      'extract',
      ['resource_title', ['function', 'count']],
      ['group_by', 'resource_title'],
    ]
    const rows: { resource_title: string; count: number }[] = await ask('/query/v4/events', {
      query,
    })
    expect(new Set(rows.map((row) => row.resource_title)).size).toBe(EVENTS)
    expect(rows).toHaveLength(EVENTS)
  })

  it('sent again is a duplicate, and nothing is written', async () => {
    const response = await request(`/cmd/v1?${parametersOf(storeReport('big'))}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body,
    })
    expect(await response.json()).toMatchObject({ duplicate: true })
    expect(costOf(response)).toMatchObject({ roundTrips: 1, rowsWritten: 0 })
  })
})

it('long values of events are read about a megabyte at a time', async () => {
  const events = ['a', 'b', 'c'].map((letter) => event({ message: letter.repeat(600_000) }))
  const tripsOf = async (certname: string, count: number): Promise<number> => {
    await store(report({ certname, resources: [resource({ events: events.slice(0, count) })] }))
    const { database, batches } = counting()
    const query = parametersOf({ query: ['=', 'certname', certname] })
    const response = await request(`/query/v4/events?${query}`, {}, database)
    expect(await response.json()).toHaveLength(count)
    return batches()
  }
  const one = await tripsOf('one', 1)
  expect(await tripsOf('three', 3)).toBe(one + 2)
})
