/** A request that has ended is one line of the log: what it cost, and nothing of what was sent. */

import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { app } from '../../worker/app.ts'
import { summarizeBoundedLines } from '../../worker/lib/bounded-lines.ts'
import { copyLatest } from './copies.ts'
import { parametersOf, storeReport } from './client.ts'
import { report, resource } from './reports.ts'
import { tokenLine } from '../token-line.ts'

const COPIES = 250
/** Whole reports are read a hundred at a time. */
const PAGES = 3

const lines: string[] = []
beforeEach(() => {
  lines.length = 0
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line))
})
afterEach(() => vi.restoreAllMocks())

const send = (path: string, init: RequestInit = {}, settings = {}): Promise<Response> =>
  Promise.resolve(
    app.fetch(new Request(`http://service.example${path}`, init), {
      ...env,
      LOG_REQUESTS: 'on',
      ...settings,
    }),
  )

/** The only line that was written so far, read. */
function line(): Record<string, unknown> {
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain('\n')
  return JSON.parse(lines[0]!) as Record<string, unknown>
}

const commandsRefused = (): readonly string[] =>
  lines.filter((one) => one.includes('"command refused"'))

const submission = (certname: string, settings = {}): Promise<Response> =>
  send(
    `/pdb/cmd/v1?${parametersOf(storeReport(certname))}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(report({ certname, resources: [resource()] })),
    },
    settings,
  )

beforeAll(async () => {
  expect((await submission('web1', { LOG_REQUESTS: 'off' })).status).toBe(200)
  await copyLatest({ r: 'web1' }, COPIES, { id: 'r.id + 1024 * (1 + copy.value)' })
})

const begun = Date.now()
/** Minutes after this file began, when no earlier refusal of the isolate is counted any more. */
function minutesLater(minutes: number): void {
  vi.setSystemTime(begun + minutes * 60_000)
  summarizeBoundedLines()
  lines.length = 0
}

describe('a request is a line', () => {
  afterEach(() => void vi.useRealTimers())

  it('of a refusal, which says why', async () => {
    minutesLater(2)
    const settings = { ACCESS: 'closed', TOKENS: tokenLine('known', 'read') }
    await send('/pdb/query/v4/reports', {}, settings)
    expect(line()).toMatchObject({
      status: 401,
      reason: expect.stringContaining('This request needs credentials.'),
    })
    lines.length = 0
    const headers = { authorization: 'Bearer known' }
    await send('/metrics', { method: 'GET', headers }, settings)
    expect(line()).not.toHaveProperty('reason')
  })

  // By isUnauthenticated.
  it('of the first in a minute without credentials; the others are counted', async () => {
    const settings = { ACCESS: 'closed', TOKENS: tokenLine('known', 'read') }
    const headers = { authorization: 'Bearer known' }
    minutesLater(4)
    for (let sent = 0; sent < 5; sent++) await send('/pdb/query/v4/reports', {}, settings)
    expect(line()).toMatchObject({ level: 'info', status: 401 })
    await submission('web1', settings)
    await submission('web1', settings)
    expect(commandsRefused()).toHaveLength(1)
    lines.length = 0
    vi.setSystemTime(begun + 5 * 60_000 - 1)
    await send('/metrics', { headers }, settings)
    expect(line()).toMatchObject({ path: '/metrics' })
    lines.length = 0
    vi.setSystemTime(begun + 5 * 60_000)
    await send('/metrics', { headers }, settings)
    expect(lines.map((one) => JSON.parse(one))).toEqual([
      { level: 'warn', message: 'requests without credentials, not logged', count: 6 },
      { level: 'warn', message: 'commands without credentials, not logged', count: 1 },
      expect.objectContaining({ path: '/metrics' }),
    ])
  })

  it('of a refusal after the clock was set back, too', async () => {
    const settings = { ACCESS: 'closed', TOKENS: tokenLine('known', 'read') }
    minutesLater(10)
    await send('/pdb/query/v4/reports', {}, settings)
    minutesLater(8)
    await send('/pdb/query/v4/reports', {}, settings)
    expect(line()).toMatchObject({ status: 401 })
  })

  it('of a query, which holds its cost and its length but not its words', async () => {
    const query = JSON.stringify(['and', ['=', 'certname', 'web1'], ['~', 'status', 'unch[a]nged']])
    const response = await send(`/pdb/query/v4/reports?${parametersOf({ query, limit: '2' })}`)
    const bytes = (await response.arrayBuffer()).byteLength
    expect(line()).toEqual({
      level: 'info',
      message: 'request',
      method: 'GET',
      path: '/pdb/query/v4/reports',
      status: 200,
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      milliseconds: expect.any(Number),
      query_length: query.length + 1,
      bytes,
      parse_ms: expect.any(Number),
      plan_ms: expect.any(Number),
      rows_ms: expect.any(Number),
      d1_ms: expect.any(Number),
      sql_ms: expect.any(Number),
      round_trips: 2,
      statements: expect.any(Number),
      rows_read: expect.any(Number),
      rows_written: 0,
    })
  })

  it('of a command', async () => {
    await submission('web2')
    expect(line()).toMatchObject({
      method: 'POST',
      path: '/pdb/cmd/v1',
      status: 200,
      round_trips: 1,
    })
    expect(line()['rows_written']).toBeGreaterThanOrEqual(5)
    expect(line()).not.toHaveProperty('query_length')
  })

  it.each([
    '/insight/v1/fleet',
    '/insight/v1/nodes',
    '/console',
    '/console/nodes',
    '/console/reports',
  ])('of %s, with what its answer says that it cost', async (path) => {
    const response = await send(path)
    await response.text()
    const serverTiming = response.headers.get('server-timing')!
    const figures = line()
    for (const [name, figure] of [
      ['round-trips', 'round_trips'],
      ['statements', 'statements'],
      ['rows-read', 'rows_read'],
    ] as const) {
      expect(serverTiming).toContain(`${name};desc="${String(figures[figure])}"`)
    }
  })

  it('of an insight that has not changed for the client', async () => {
    const etag = (await send('/insight/v1/fleet')).headers.get('etag')!
    lines.length = 0
    await send('/insight/v1/fleet', { headers: { 'if-none-match': etag } })
    expect(line()).toMatchObject({ status: 304, round_trips: 1, statements: 2 })
  })

  it.each(['/*', '/console/*', '/query/v4/nodes/:node', '/query/v4/reports/:hash/logs'])(
    'of a path that looks like a route: %s',
    async (path) => {
      await (await send(path)).text()
      expect(line()).toMatchObject({ path })
    },
  )

  it.each([
    ['that was not understood', '/query/v4/reports?query=%5B%22%3D%22%5D', 400],
    ['for something unknown', '/query/v4/nodes/web9', 404],
    ['for nothing there is', '/nowhere', 404],
    ['that would break out of the line', '/a%0A%7B%22level%22%3A%22error%22%7D', 404],
  ])('%s', async (_, path, status) => {
    await (await send(path)).text()
    expect(line()).toMatchObject({ level: 'info', status })
  })

  it.each([
    ['8f2c0a1b2c3d4e5f-FRA', '8f2c0a1b2c3d4e5f-FRA'],
    ['"}\\n{', expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ])('called by the Ray that Cloudflare gave it: %s', async (ray, id) => {
    await send('/meta/v1/version', { headers: { 'cf-ray': ray } })
    expect(line()['request_id']).toEqual(id)
  })

  it('of those only that were refused or failed, where it is set so', async () => {
    const settings = { LOG_REQUESTS: 'failed' }
    await (await send('/meta/v1/version', {}, settings)).text()
    expect((await submission('web1', settings)).status).toBe(200)
    expect(lines).toEqual([])
    await (await send('/nothing', {}, settings)).text()
    expect(line()).toMatchObject({ path: '/nothing', status: 404 })
  })

  it('or none, where they are off', async () => {
    await (await send('/meta/v1/version', {}, { LOG_REQUESTS: 'off' })).text()
    expect(lines).toEqual([])
  })
})

/** Each page is a round trip, and so is the number of rows, which is read after the first page. */
describe('an answer that is streamed', () => {
  it('is a line at its end, with all it cost', async () => {
    const response = await send('/query/v4/reports')
    expect(lines).toEqual([])
    const { byteLength } = await response.arrayBuffer()
    expect(line()).toMatchObject({ ending: 'whole', bytes: byteLength, round_trips: 1 + PAGES })
  })

  it('is a line when its client has disconnected', async () => {
    const response = await send('/query/v4/reports')
    const reader = response.body!.getReader()
    const { value } = await reader.read()
    await reader.cancel()
    expect(line()).toMatchObject({ ending: 'aborted', bytes: value!.length, round_trips: 2 })
  })

  it('is a line at its end when it is a page of the console that takes long', async () => {
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((call: () => void) =>
      queueMicrotask(call)) as typeof setTimeout)
    let goOn = (): void => undefined
    const held = new Promise<void>((resolve) => (goOn = resolve))
    const slow = {
      withSession: (...words: []) => {
        const session = env.DB.withSession(...words)
        return {
          prepare: (sql: string) => session.prepare(sql),
          batch: async (statements: D1PreparedStatement[]) => {
            await held
            return session.batch(statements)
          },
          getBookmark: () => session.getBookmark(),
        }
      },
    }
    const response = await send('/console/nodes', {}, { DB: slow })
    expect([response.status, lines]).toEqual([200, []])
    goOn()
    expect(await response.text()).toMatch(/^<!doctype html>[^]*<\/html>\s*$/i)
    expect(line()).toMatchObject({ ending: 'whole', status: 200, round_trips: 1 })
  })

  it('is a line when only its head was asked for', async () => {
    const response = await send('/insight/v1/changes.csv', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(line()).toMatchObject({ method: 'HEAD', status: 200 })
  })

  it('is a line when the database fails amid it', async () => {
    let left = 2
    const failing = {
      withSession: (...words: []) => {
        const session = env.DB.withSession(...words)
        return {
          prepare: (sql: string) => session.prepare(sql),
          batch: (statements: D1PreparedStatement[]) =>
            left-- > 0 ? session.batch(statements) : Promise.reject(new Error('D1 is overloaded')),
          getBookmark: () => session.getBookmark(),
        }
      },
    }
    const response = await send('/query/v4/reports', {}, { DB: failing })
    await expect(response.arrayBuffer()).rejects.toThrow('not available')
    expect(line()).toMatchObject({
      level: 'error',
      ending: 'failed',
      status: 200,
      error: expect.stringContaining('not available'),
    })
  })
})

it('server-timing has the same figures for every query', async () => {
  const response = await send('/query/v4/reports?limit=1')
  const figures = (response.headers.get('server-timing') ?? '').split(', ')
  expect(figures.map((figure) => figure.replace(/[\d.]+/g, '0'))).toEqual([
    'parse;dur=0',
    'plan;dur=0',
    'rows;dur=0',
    'd0;dur=0',
    'sql;dur=0',
    'round-trips;desc="0"',
    'statements;desc="0"',
    'rows-read;desc="0"',
    'rows-written;desc="0"',
  ])
})
