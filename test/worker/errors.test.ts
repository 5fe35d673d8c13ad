/** What is answered when the asker, the path or the database is wrong. */

import { describe, expect, it } from 'vitest'
import { failing, around } from './database.ts'
import { ask, countRows, parametersOf, reportsOf, request, store, submit } from './client.ts'
import { report, resource } from './reports.ts'

const TEXT = 'text/plain;charset=utf-8'
const JSON_ANSWER = 'application/json;charset=utf-8'

async function answerOf(path: string, init?: RequestInit, database?: D1Database) {
  const response = await request(path, init, database)
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.text(),
  }
}

const reports = (parameters: Record<string, unknown>): string =>
  `/query/v4/reports?${parametersOf(parameters)}`
const NONE = '0000000000000000000000000000000000000000'

describe('unknown entities: 404, as JSON', () => {
  it.each([
    ['/query/v4/nodes/foo', 'node foo'],
    ['/query/v4/environments/foo', 'environment foo'],
    ['/query/v4/producers/foo', 'producer foo'],
    ['/query/v4/environments/foo/reports', 'environment foo'],
    ['/query/v4/environments/foo/events', 'environment foo'],
    ['/query/v4/producers/foo/reports', 'producer foo'],
    [`/query/v4/reports/${NONE}/events`, `report ${NONE}`],
    [`/query/v4/reports/${NONE}/logs`, `report ${NONE}`],
    [`/query/v4/reports/${NONE}/metrics`, `report ${NONE}`],
    ['/query/v4/reports/no-hash/events', 'report no-hash'],
    [`/pdb/query/v4/environments/foo/reports/${NONE}/events`, 'environment foo'],
  ])('%s', async (path, thing) => {
    expect(await answerOf(path)).toEqual({
      status: 404,
      type: JSON_ANSWER,
      body: `{\n  "error" : "No information is known about ${thing}"\n}`,
    })
  })

  it('but an empty list below a known entity', async () => {
    await store(report({ certname: 'quiet' }))
    const [{ hash }] = await reportsOf('quiet', ['hash'])
    expect(await ask(`/query/v4/reports/${hash}/events`)).toEqual([])
    expect(await ask('/query/v4/environments/production/events')).toEqual([])
  })
})

describe('methods and paths that do not exist', () => {
  it.each<[what: string, path: string, init: RequestInit, status: number, body: string]>([
    ['an unknown route', '/query/v4/report', {}, 404, 'Not Found'],
    ['a report by its path', `/query/v4/reports/${NONE}`, {}, 404, 'Not Found'],
    ['an older API', '/pdb/query/v3/nodes', {}, 404, 'The v3 API has been retired; please use v4'],
    ['a command by GET', '/pdb/cmd/v1', {}, 404, 'Not Found'],
    [
      'PUT',
      '/query/v4/reports',
      { method: 'PUT' },
      400,
      'PuppetDB queries must be made via GET/POST',
    ],
    [
      'DELETE',
      '/query/v4/nodes/foo',
      { method: 'DELETE' },
      400,
      'PuppetDB queries must be made via GET/POST',
    ],
    [
      'Accept of HTML',
      '/query/v4/reports',
      { headers: { accept: 'text/html, application/xml' } },
      406,
      'must accept application/json',
    ],
    [
      'a body of a form',
      '/query/v4/reports',
      {
        method: 'POST',
        body: 'query=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
      415,
      'content type application/x-www-form-urlencoded not supported',
    ],
    [
      'a body that is no map',
      '/query/v4/reports',
      { method: 'POST', body: '[1]', headers: { 'content-type': 'application/json' } },
      400,
      'The body must be a JSON map such as {"query": […], "limit": 10}.',
    ],
    [
      'parameters in both places',
      '/query/v4/reports?limit=1',
      { method: 'POST', body: '{"offset":1}', headers: { 'content-type': 'application/json' } },
      400,
      'Send parameters either in the URL or in the body, not in both.',
    ],
  ])('%s', async (_, path, init, status, body) => {
    expect(await answerOf(path, init)).toEqual({ status, type: TEXT, body })
  })

  it.each([
    ['application/json'],
    ['application/*'],
    ['*/*'],
    ['text/html, application/json;q=0.5'],
  ])('but Accept: %s is fine', async (accept) => {
    expect(await answerOf('/query/v4/nodes', { headers: { accept } })).toMatchObject({
      status: 200,
      type: JSON_ANSWER,
    })
  })
})

describe('a wrong parameter: 400, with the mistake', () => {
  it.each<[path: string, body: string]>([
    ['/query/v4/reports?limt=1', "Unsupported query parameter 'limt'. Did you mean 'limit'?"],
    ['/query/v4/reports?Limit=1', "Unsupported query parameter 'Limit'. Did you mean 'limit'?"],
    ...['facts', 'fact-names', 'nodes', 'events', 'environments'].map((name): [string, string] => [
      `/query/v4/${name}?explain=anything`,
      "Illegal value 'anything' for :explain; expected `analyze`.",
    ]),
    [
      '/query/v4/nodes?query=["in",["fact","x"],["array",["500",100]]]',
      'All values in array must be the same type.',
    ],
    [
      '/query/v4/events?distinct_resources=false',
      "'distinct_resources' query parameter requires accompanying parameters 'distinct_start_time' and 'distinct_end_time'",
    ],
    [
      '/query/v4/events?distinct_resources=false&distinct_start_time=x&distinct_end_time=y',
      "query parameters 'distinct_start_time' and 'distinct_end_time' must be valid datetime strings: x y",
    ],
    [
      '/query/v4/environments?query=["in",["nix","neither"],["from","nodes",["extract",["certname","certname"]]]]',
      "Can't match on unknown 'environments' fields 'nix' and 'neither' for 'in'. Acceptable fields are 'name'.",
    ],
    ['/query/v4/reports?breakfast=1', "Unsupported query parameter 'breakfast'"],
    [`/query/v4/reports/${NONE}/logs?limit=1`, "Unsupported query parameter 'limit'"],
    ['/query/v4/reports?limit=1&limit=2', "The parameter 'limit' is given twice."],
    ...['0', '-1', '1.5', 'abc', ''].map((value): [string, string] => [
      `/query/v4/reports?limit=${value}`,
      `Illegal value '${value}' for :limit; expected a positive non-zero integer.`,
    ]),
    ...['-1', 'abc'].map((value): [string, string] => [
      `/query/v4/reports?offset=${value}`,
      `Illegal value '${value}' for :offset; expected a non-negative integer.`,
    ]),
    [
      '/query/v4/reports?order_by=certname',
      "Illegal value 'certname' for :order_by; expected a JSON array of maps.",
    ],
    [
      reports({ order_by: ['certname'] }),
      `Illegal value '["certname"]' for :order_by; expected an array of maps.`,
    ],
    [
      reports({ order_by: [{ field: 'certname', order: 'sideways' }] }),
      `Illegal value '[{"field":"certname","order":"sideways"}]' in :order_by; 'order' must be either 'asc' or 'desc'`,
    ],
    [
      reports({ order_by: [{ field: 'certname', direction: 'desc' }] }),
      `Illegal value '[{"field":"certname","direction":"desc"}]' in :order_by; unknown key 'direction'.`,
    ],
    [
      reports({ order_by: [{ order: 'desc' }] }),
      `Illegal value '[{"order":"desc"}]' in :order_by; missing required key field.`,
    ],
    ['/query/v4/reports?explain=maybe', "Illegal value 'maybe' for :explain; expected `analyze`."],
    ['/query/v4/reports?timeout=soon', 'Query timeout must be non-negative number, not soon'],
    ['/query/v4', "Missing required query parameter 'query'"],
  ])('%s', async (path, body) => {
    expect(await answerOf(path)).toEqual({ status: 400, type: TEXT, body })
  })

  it.each([
    [['=', 'statsu', 'failed'], "'statsu' is not a queryable object for reports"],
    [['extract', ['statsu']], "Can't extract unknown 'reports' field 'statsu'"],
    [['like', 'status', 'failed'], 'like'],
    [['=', 'status'], '= requires exactly two arguments'],
    [['=', 'start_time', 'never'], "'never' is not a valid timestamp value"],
  ])('query %j', async (query, sentence) => {
    expect(await answerOf(reports({ query }))).toEqual({
      status: 400,
      type: TEXT,
      body: expect.stringContaining(sentence),
    })
  })
})

const TRANSIENT = 'D1_ERROR: Network connection lost.'
const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.'

describe('a database that fails', () => {
  it.each([
    ['Network connection lost'],
    ['D1 DB storage caused object to be reset'],
    ['D1 DB reset because its code was updated'],
    ['Cannot resolve D1 DB due to transient issue on remote node'],
  ])('for a moment (%s) is asked again', async (message) => {
    const certname = `moment-${message.replaceAll(/\W/g, '-')}`
    const { database, batches } = failing(message, message)
    const response = await submit(report({ certname, resources: [resource()] }), {}, database)
    expect([response.status, batches()]).toEqual([200, 3])
    expect(await reportsOf(certname)).toHaveLength(1)
    const reading = failing(message)
    expect(await answerOf(reports({}), {}, reading.database)).toMatchObject({ status: 200 })
    expect(reading.batches()).toBe(2)
  })

  it.each([
    ['four times', [TRANSIENT, TRANSIENT, TRANSIENT, TRANSIENT], 4],
    ['from too much work', [OVERLOADED], 1],
    ['from too many queued', ['D1_ERROR: Too many requests queued.'], 1],
  ])('%s: 503 with Retry-After, and nothing is stored', async (what, messages, attempts) => {
    const certname = `failed-${what.replaceAll(' ', '-')}`
    const unwell = failing(...messages)
    const response = await submit(
      report({ certname, resources: [resource()] }),
      {},
      unwell.database,
    )
    expect([response.status, response.headers.get('retry-after'), unwell.batches()]).toEqual([
      503,
      '5',
      attempts,
    ])
    expect(await response.text()).toBe(
      'The database is not available right now; try again. Retrying is safe: no report is stored twice.',
    )
    expect(await countRows('nodes WHERE certname = ?', certname)).toBe(0)

    const reading = failing(...messages)
    expect(await answerOf(reports({}), {}, reading.database)).toMatchObject({ status: 503 })
    expect(reading.batches()).toBe(attempts)
  })

  it.each([
    ['database or disk is full: SQLITE_FULL', 'The disk of the database is full'],
    ['D1_ERROR: Exceeded maximum DB size.', 'The database has the largest size that D1 allows'],
    ['attempt to write a readonly database: SQLITE_READONLY', 'its files or their folder are'],
    ['unable to open database file: SQLITE_CANTOPEN', 'its folder is missing'],
    ['database disk image is malformed: SQLITE_CORRUPT', 'The database is damaged'],
    ['disk I/O error: SQLITE_IOERR_WRITE', 'The disk of the database fails'],
  ])('on its disk (%s): 503, and a sentence', async (message, sentence) => {
    const { database, batches } = failing(message)
    const response = await submit(report({ certname: 'disk' }), {}, database)
    expect([response.status, response.headers.get('retry-after'), batches()]).toEqual([503, '5', 1])
    expect(await response.text()).toContain(sentence)
  })

  it('after it took the report: sent again, it is there once', async () => {
    let batches = 0
    const database = around(async (send) => {
      const results = await send()
      if (batches++ === 0) throw new Error(TRANSIENT)
      return results
    })
    const response = await submit(
      report({ certname: 'twice', resources: [resource()] }),
      {},
      database,
    )
    expect([response.status, batches]).toEqual([200, 2])
    expect(await reportsOf('twice')).toMatchObject([{ resource_events: { data: [{}] } }])
  })

  it('in the midst of a batch leaves nothing of it', async () => {
    // The last statement of a batch can't be prepared: what stood before it is undone.
    const payload = report({ certname: 'midst', environment: 'midst', resources: [resource()] })
    const broken = around(
      (send) => send(),
      (sql) => (sql.startsWith('update nodes') ? 'not SQL' : sql),
    )
    const response = await submit(payload, {}, broken)
    expect(response.status).not.toBe(200)
    expect(await reportsOf('midst')).toEqual([])
    expect(await countRows("nodes WHERE certname = 'midst'")).toBe(0)
    expect(await countRows("strings WHERE value = 'midst'")).toBe(0)
    expect(await countRows('events WHERE report NOT IN (SELECT id FROM reports)')).toBe(0)
    await store(payload)
  })

  it('without its tables gives an error in one sentence', async () => {
    const message = 'D1_ERROR: no such table: reports: SQLITE_ERROR'
    const sentence =
      'The database lacks a migration: apply it with `npx wrangler d1 migrations apply DB --remote` (`npm start` does so by itself).'
    const answer = { status: 503, type: TEXT, body: sentence }
    expect(await answerOf(reports({}), {}, failing(message).database)).toEqual(answer)
    const response = await submit(report({ certname: 'x' }), {}, failing(message).database)
    expect([response.status, await response.text()]).toEqual([503, sentence])
    // Within what a terminus waits for a server, and as after any other 503: a replica may be behind for a moment only.
    expect(response.headers.get('retry-after')).toBe('5')
  })

  it('in an unexpected way: 500, without internal details', async () => {
    expect(await answerOf(reports({}), {}, failing('secret detail').database)).toEqual({
      status: 500,
      type: TEXT,
      body: 'Internal error. It has been logged.',
    })
  })
})

describe('sentences name fields as rows do', () => {
  it.each([
    ['', 'agent_version', 'puppet_version'],
    ['/pdb', 'puppet_version', 'agent_version'],
  ])('below %j', async (prefix, said, unsaid) => {
    const wrong = [
      { order_by: [{ field: 'logs' }] },
      { query: ['=', 'stauts', 'failed'] },
      { query: ['extract', ['stauts']] },
      { query: ['in', 'stauts', ['extract', 'status', ['select_reports']]] },
    ]
    for (const parameters of wrong) {
      const { status, body } = await answerOf(prefix + reports(parameters))
      expect(status).toBe(400)
      expect(body).toContain(`'${said}'`)
      expect(body).not.toContain(`'${unsaid}'`)
    }
  })
})
