/** Limits that an operator sets. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { JSON_TYPE, parametersOf, store, storeReport } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { around } from './database.ts'
import { app } from '../../worker/app.ts'
import { env } from 'cloudflare:workers'
import { at, report } from './reports.ts'

const TOKENS = tokenLine('reader', 'read')
const get = (settings: object, path: string, parameters: Readonly<Record<string, unknown>> = {}) =>
  closed({ TOKENS, ...settings }).as('reader', `${path}?${parametersOf(parameters)}`)

describe('MAX_ROWS', () => {
  beforeAll(() =>
    store(
      ...[1, 2, 3, 4].map((hour) =>
        report({ certname: 'limits', producer_timestamp: at(hour * 3_600_000) }),
      ),
    ),
  )
  const settings = { MAX_ROWS: '3' }

  it.each<[object, number, number | null]>([
    [{}, 400, null],
    [{ limit: 3 }, 200, 3],
    [{ limit: 4 }, 400, null],
    [{ limit: 9, offset: 1 }, 200, 3],
    [{ query: ['extract', [['function', 'count']]] }, 200, 1],
  ])('3, asked %j: %i', async (parameters, status, rows) => {
    const [found, text] = await get(settings, '/query/v4/reports', { ...parameters })
    expect(found).toBe(status)
    if (rows === null)
      expect(text).toBe(
        'The answer has 4 rows, and this service returns at most 3. Ask for fewer, or page by page with limit, offset and order_by.',
      )
    else expect(JSON.parse(text)).toHaveLength(rows)
  })

  it('gives the total only if the client requests it', async () => {
    const ask = (query: string) =>
      closed({ TOKENS, ...settings }).request(`/query/v4/reports?limit=9&offset=1${query}`, {
        headers: { 'x-authentication': 'reader' },
      })
    expect((await ask('')).headers.get('x-records')).toBeNull()
    expect((await ask('&include_total=true')).headers.get('x-records')).toBe('4')
  })
})

describe('MAX_QUERY_LENGTH', () => {
  it('refuses a longer one', async () => {
    const [status, text] = await closed({ TOKENS, MAX_QUERY_LENGTH: '30' }).as(
      'reader',
      '/query/v4/nodes',
      { method: 'POST', headers: JSON_TYPE, body: '{"query":["=","certname","limits"]}' },
    )
    expect([status, text]).toEqual([
      413,
      'The query is too long: it has 35 characters, at most 30 are allowed.',
    ])
  })
})

describe('timeouts', () => {
  const slow = around(async (send) => {
    await new Promise((resolve) => setTimeout(resolve, 1500))
    return send()
  })

  it.each([
    [{ QUERY_TIMEOUT: '1' }, '', 503],
    [{ QUERY_TIMEOUT: '1' }, '?timeout=60', 200],
    [{ MAX_QUERY_TIMEOUT: '1' }, '?timeout=60', 503],
    [{ MAX_QUERY_TIMEOUT: '1' }, '?timeout=0', 503],
    [{ MAX_QUERY_TIMEOUT: '1' }, '', 503],
    [{}, '', 200],
  ])(
    '%j, asked %j of an answer that takes longer than a second: %i',
    async (set, query, status) => {
      const bindings = { ...env, ACCESS: 'open', ...set, DB: slow }
      const request = new Request(`http://service.example/query/v4/nodes${query}`)
      const response = await app.fetch(request, bindings)
      expect(response.status).toBe(status)
      expect(response.headers.has('retry-after')).toBe(status === 503)
      await response.text()
    },
  )
})

describe('the rate limit binding SUBMISSIONS, of two commands in ten seconds', () => {
  const TOKENS = `${tokenLine('tenant', 'submit', 'certname=tenant-*')}
${tokenLine('sender', 'submit')}`
  const service = closed({ TOKENS }, { SUBMISSIONS: env.FEW_SUBMISSIONS })
  const sendAs = async (token: string, address: string, certname: string): Promise<number> => {
    const init = {
      method: 'POST',
      headers: { ...JSON_TYPE, 'x-authentication': token },
      body: JSON.stringify(report({ certname })),
    }
    const path = `/pdb/cmd/v1?${parametersOf(storeReport(address))}`
    const response = await service.request(path, init)
    if (response.status !== 429) return response.status
    expect(response.headers.get('retry-after')).toBe('10')
    expect(await response.text()).toBe(
      `Too many commands for the node '${certname}' within ten seconds. Nothing was stored; try again later.`,
    )
    return 429
  }
  /** More than are let through even where a period ends among them. */
  const hurry = async (...sent: readonly [token: string, address: string, certname: string]) => {
    const statuses: number[] = []
    for (let times = 0; times < 5; times++) statuses.push(await sendAs(...sent))
    return statuses
  }

  it('limits the commands for each node: 429 with Retry-After', async () => {
    const statuses = await hurry('sender', 'hasty', 'hasty')
    expect(statuses.slice(0, 2)).toEqual([200, 200])
    expect(statuses).toContain(429)
    expect(await sendAs('sender', 'patient', 'patient')).toBe(200)
  })

  it('applies to the node in the payload, and not in the URL', async () => {
    const statuses: number[] = []
    for (let times = 0; times < 5; times++)
      statuses.push(await sendAs('sender', `alias-${times}`, 'one-and-the-same'))
    expect(statuses).toContain(429)
    expect(await sendAs('sender', 'one-and-the-same', 'somebody-else')).toBe(200)
  })

  it('does not count refused senders against a node', async () => {
    expect(await hurry('tenant', 'neighbour', 'neighbour')).toEqual([403, 403, 403, 403, 403])
    expect(await sendAs('sender', 'neighbour', 'neighbour')).toBe(200)
    expect(await hurry('tenant', 'neighbour-2', 'tenant-1')).toContain(429)
    expect(await sendAs('sender', 'neighbour-2', 'neighbour-2')).toBe(200)
  })
})

it('a rate limit binding that fails refuses nobody, and is logged', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const broken: RateLimit = { limit: () => Promise.reject(new Error('no such namespace')) }
  const service = closed({ TOKENS: tokenLine('sender', 'submit') }, { SUBMISSIONS: broken })
  expect((await service.submit('sender', report({ certname: 'unlimited' })))[0]).toBe(200)
  expect(warn.mock.calls.join()).toContain('no such namespace')
  warn.mockRestore()
})
