/** Dictionaries that an isolate can't hold: patterns are tried on them page by page, and answers stay exact. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../worker/store/database.ts'
import { costOf, parametersOf, request, store } from './client.ts'
import { counting } from './database.ts'
import { event, report, resource, type Payload } from './reports.ts'

const FILLED = 30_000
/** Where the names of the fleet end up among those that fill the dictionaries: at the beginning, in the middle, at the end. */
const MARKS = ['first', 'middle', 'last']

const eventful = (mark: string): Payload =>
  report({
    certname: `node ${mark}`,
    resources: [
      resource({
        resource_title: `title ${mark}`,
        file: `/file ${mark}`,
        events: [event({ property: null })],
      }),
    ],
  })

/** Adds names of 300 characters to the dictionaries. */
const fill = (from: number): Promise<unknown> =>
  env.DB.batch(
    [
      `insert into strings (kind, value, used) select 8, substr('/filling ' || n || '-' || printf('%0300d', n), 1, 300), 0 from n`,
      `insert into resources (type, title, path, used) select 'File', substr('filling ' || n || '-' || printf('%0300d', n), 1, 300), '', 0 from n`,
    ].map((insert) =>
      env.DB.prepare(
        `with recursive n (n) as (select ${from} union all select n + 1 from n where n < ${from + FILLED / 2 - 1}) ${insert}`,
      ),
    ),
  )

beforeAll(async () => {
  await store(eventful('first'))
  await fill(0)
  await store(eventful('middle'))
  await fill(FILLED / 2)
  await store(eventful('last'))
})

async function answerTo(query: unknown, database: D1Database) {
  const path = `/query/v4/events?${parametersOf({ query: ['extract', 'certname', query] })}`
  const response = await request(path, {}, database)
  const rows = await response.json<{ certname: string }[]>()
  const names = rows.map(({ certname }) => certname.replace('node ', ''))
  return { names: MARKS.filter((mark) => names.includes(mark)), ...costOf(response) }
}

describe('a pattern on 30,000 names of 300 characters', () => {
  it.each<[query: unknown, names: string[]]>([
    [
      ['~', 'resource_title', '(first|last)$'],
      ['first', 'last'],
    ],
    [['not', ['~', 'resource_title', '(first|last)$']], ['middle']],
    [['~', 'file', 'middle'], ['middle']],
    [['~', 'file', '^/file'], MARKS],
    // Nearly all names match.
    [['~', 'file', '.'], MARKS],
    [
      ['not', ['~', 'file', '[^m]i[^l]']],
      ['middle', 'last'],
    ],
    [
      ['and', ['~', 'file', '^/file'], ['~', 'resource_title', 'a'], ['~', 'certname', 't$']],
      ['last'],
    ],
  ])('%j: %j', async (query, names) => {
    const { database } = counting()
    expect((await answerTo(query, database)).names).toEqual(names)
    expect((await answerTo(query, database)).names).toEqual(names)
  })

  it('finds what another isolate has stored since', async () => {
    const { database } = counting()
    const query = ['~', 'resource_title', '^title .*(last|new)$']
    expect((await answerTo(query, database)).names).toEqual(['last'])
    await store(eventful('new'))
    const rows = await (
      await request(
        `/query/v4/events?${parametersOf({ query: ['extract', 'certname', query] })}`,
        {},
        database,
      )
    ).json()
    expect(rows).toHaveLength(2)
  })

  it('holds no more than the budget of an isolate', async () => {
    const { database } = counting()
    await answerTo(['~', 'resource_title', 'last'], database)
    const { memory } = Database.primary(database)
    expect(memory.dictionaries.get('resources title')).toBeUndefined()
    expect((await answerTo(['~', 'resource_title', 'last'], database)).roundTrips).toBeGreaterThan(
      3,
    )
  })
})

it('an empty cache reads a thousand entries at most', async () => {
  const { database } = counting()
  const response = await request('/query/v4/reports?limit=1', {}, database)
  expect(response.status).toBe(200)
  expect(costOf(response).rowsRead).toBeLessThan(1100)
})
