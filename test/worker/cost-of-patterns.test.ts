/**
 * What regular expressions cost: one round trip, in which the texts that are new come along, and another one
 * only where a new text makes a difference. Two isolates share the database; what one stores the other has not seen.
 */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { costOf, parametersOf, request, store } from './client.ts'
import { event, report, resource, type Payload } from './reports.ts'

const reportOf = (certname: string, title = '/etc/motd'): Payload =>
  report({
    certname,
    transaction_uuid: crypto.randomUUID(),
    resources: [resource({ resource_title: title, events: [event()] })],
  })

/** An isolate that knows nothing yet: what is remembered hangs on the binding. */
const newIsolate = (): D1Database =>
  ({ withSession: (...seen: []) => env.DB.withSession(...seen) }) as unknown as D1Database

async function answerTo(isolate: D1Database, path: string, parameters: Payload) {
  const response = await request(`/query/v4${path}?${parametersOf(parameters)}`, {}, isolate)
  const rows = await response.json<Record<string, unknown>[]>()
  const { roundTrips, statements } = costOf(response)
  return { roundTrips, statements, rows }
}

const certnamesLike = (pattern: string): Payload => ({
  query: ['extract', 'certname', ['~', 'certname', pattern]],
  order_by: [{ field: 'certname' }],
})

beforeAll(async () => {
  await store(...['web1', 'web2', 'web3', 'web4', 'db1'].map((certname) => reportOf(certname)))
})

describe('a query with patterns', () => {
  it('costs an isolate that knows no texts another round trip, for all of them at once', async () => {
    const query = ['and', ['~', 'certname', '^d.+1'], ['~', 'resource_title', 'm.td']]
    const isolate = newIsolate()
    expect(await answerTo(isolate, '/events', { query })).toMatchObject({
      roundTrips: 2,
      rows: [{ certname: 'db1' }],
    })
    // The rows, and what is new of two dictionaries.
    expect(await answerTo(isolate, '/events', { query })).toMatchObject({
      roundTrips: 1,
      statements: 4,
      rows: [{ certname: 'db1' }],
    })
  })

  it.each<[what: string, pattern: string, arriving: string, roundTrips: number]>([
    ['a text that does not match is new', '^a.+1$', 'b1', 1],
    ['a text that matches is new', '^c.+1$', 'cd1', 2],
    // Of a pattern that nearly all texts match, those that don't are asked for.
    ['a text that matches as most do is new', '^[a-z]+[0-9]$', 'web5', 1],
    ['a text that does not match, as most do, is new', '^[a-z]+[0-9]$', 'Other', 2],
  ])('where %s: %s, %s: %i', async (_, pattern, arriving, roundTrips) => {
    const isolate = newIsolate()
    const before = await answerTo(isolate, '/reports', certnamesLike(pattern))
    const again = await answerTo(isolate, '/reports', certnamesLike(pattern))
    expect(again).toEqual({ roundTrips: 1, statements: 3, rows: before.rows })
    await store(reportOf(arriving))
    const after = await answerTo(isolate, '/reports', certnamesLike(pattern))
    expect(after.roundTrips).toBe(roundTrips)
    const expected = [...before.rows.map(({ certname }) => certname), arriving]
      .filter((certname) => new RegExp(pattern).test(String(certname)))
      .sort()
    expect(after.rows.map(({ certname }) => certname)).toEqual(expected)
    expect((await answerTo(isolate, '/reports', certnamesLike(pattern))).roundTrips).toBe(1)
  })

  it('takes an or of a thousand on one field for one', async () => {
    const isolate = newIsolate()
    const terms = Array.from({ length: 1000 }, (_, index) => ['~', 'certname', `^we.${index}$`])
    const parameters = {
      query: ['extract', 'certname', ['or', ...terms]],
      order_by: [{ field: 'certname' }],
    }
    const body = JSON.stringify(parameters)
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const response = await request('/query/v4/reports', init, isolate)
    const rows = await response.json<{ certname: string }[]>()
    expect(rows.map(({ certname }) => certname)).toEqual(['web1', 'web2', 'web3', 'web4', 'web5'])
    expect(costOf(response)).toMatchObject({ roundTrips: 2, statements: 5 })
  })
})

it('ends where nodes that match arrive faster than their names can be read', async () => {
  /** Batches of the query. Before each a node arrives that matches, and one that does not. */
  let batches = 0
  const arriving = (session: D1DatabaseSession): D1DatabaseSession =>
    new Proxy(session, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (name !== 'batch') return typeof value === 'function' ? value.bind(target) : value
        return async (statements: D1PreparedStatement[]) => {
          if (++batches <= 100) await store(reportOf(`fast${batches}`), reportOf(`other${batches}`))
          return target.batch(statements)
        }
      },
    })
  const isolate = {
    withSession: (...seen: []) => arriving(env.DB.withSession(...seen)),
  } as unknown as D1Database
  const query = ['extract', 'certname', ['~', 'certname', '^fa.t[0-9]+$']]
  const response = await request(`/query/v4/reports?${parametersOf({ query })}`, {}, isolate)
  // One of names alone, then those of rows.
  expect([response.status, await response.text(), batches]).toEqual([
    503,
    'Texts that the regular expressions match arrive faster than they can be read. Try again.',
    1 + 20,
  ])
})

// Their SQL is compiled before what is asked is known, so that new texts have to be read before.
it.each<[what: string, path: string, roundTrips: number]>([
  ['an insight', '/insight/v1/fleet?filter=certname ~ "^w.+[0-9]$"', 2],
  ['an explanation', '/query/v4/nodes?explain=analyze&query=["~","certname","^w.+[0-9]$"]', 2],
])('%s reads the texts of its patterns once, new ones included', async (_, path, roundTrips) => {
  const isolate = newIsolate()
  for (const time of ['knows none', 'knows some']) {
    const response = await request(encodeURI(path), {}, isolate)
    expect([time, response.status, costOf(response).roundTrips]).toEqual([time, 200, roundTrips])
    await store(reportOf(`arriving-${time.length}`))
  }
})

it('several summaries of events are one round trip', async () => {
  const parameters = {
    summarize_by: 'certname,resource,containing_class',
    query: ['=', 'status', 'success'],
  }
  const isolate = newIsolate()
  const { rows, ...cost } = await answerTo(isolate, '/aggregate-event-counts', parameters)
  expect(rows).toHaveLength(3)
  expect(cost).toEqual({ roundTrips: 1, statements: 4 })
})
