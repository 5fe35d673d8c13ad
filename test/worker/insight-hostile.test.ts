/** Insights and pages asked for more than anyone needs: each is refused by a sentence, or answered within bounds. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, JSON_TYPE, request, store } from './client.ts'
import { event, report, resource } from './reports.ts'

beforeAll(() =>
  store(
    report({
      certname: 'broken',
      status: 'failed',
      producer_timestamp: new Date().toISOString(),
      resources: [resource({ events: [event({ status: 'failure', message: 'broken' })] })],
    }),
  ),
)

const refusal = async (path: string, init: RequestInit = {}): Promise<[number, string]> => {
  const response = await request(path, init)
  return [response.status, await response.text()]
}

describe('a span of thousands of years', () => {
  const SINCE = { since: '0001-01-01T00:00:00Z' }

  it.each([
    ['hour', /there are \d+ hours, and 10000 buckets are answered/],
    ['day', /there are \d+ days, and 10000 buckets are answered/],
  ])('has no timeline by %s', async (bucket, sentence) => {
    const [status, text] = await refusal(
      `/insight/v1/timeline?bucket=${bucket}&since=${SINCE.since}`,
    )
    expect([status, text]).toEqual([400, expect.stringMatching(sentence)])
  })

  it('has a timeline up to 10,000 buckets', async () => {
    const { buckets, runs } = await ask('/insight/v1/timeline', { bucket: 'day', since: '9000d' })
    expect(buckets.length).toBeGreaterThan(9000)
    expect(runs).toBe(1)
  })

  it('has causes with the last hundred days by hour', async () => {
    const { hours, items } = await ask('/insight/v1/causes', SINCE)
    expect(hours).toHaveLength(2400)
    expect(items[0].hours).toHaveLength(2400)
    expect(items[0].hours.at(-1)).toBe(1)
    const cause = await ask(`/insight/v1/causes/${items[0].cause}`, SINCE)
    expect(cause.hours).toHaveLength(2400)
  })

  it.each([
    '/console',
    '/console/nodes',
    '/console/causes',
    '/console/reports',
    '/console/changes',
  ])('has a page that can be sent: %s', async (path) => {
    for (const span of ['from=0001-01-01', 'from=0001-01-01&to=9999-12-31', 'since=all']) {
      const [status, text] = await refusal(`${path}?${span}`)
      expect([span, status]).toEqual([span, 200])
      expect(text.length).toBeLessThan(500_000)
    }
  })
})

it.each([
  ['fleet?silent_after=1e308', /^silent_after can't be '1e308'/],
  ['nodes?silent_after=Infinity', /^silent_after can't be 'Infinity'/],
  ...['nodes', 'causes', 'reports', 'changes'].map((list): [string, RegExp] => [
    `${list}?limit=0`,
    /^limit can't be '0': expected a whole number from 1 to 500\./,
  ]),
  ['search?q=a&limit=0', /^limit can't be '0'/],
])('%s is refused', async (path, sentence) => {
  expect(await refusal(`/insight/v1/${path}`)).toEqual([400, expect.stringMatching(sentence)])
})

it.each(['garbage', '', 'first-secondary', 'f'.repeat(5000)])(
  'a bookmark that D1 has not given is refused: %s',
  async (bookmark) => {
    const headers = { 'x-d1-bookmark': bookmark }
    expect(await refusal('/insight/v1/fleet', { headers })).toEqual([
      400,
      'The header x-d1-bookmark must be one that an earlier response had.',
    ])
  },
)

it('a query to be saved is not read whole when it is too large', async () => {
  const body = JSON.stringify({ title: 'large', query: 'x'.repeat(1_000_000) })
  expect(
    await refusal('/insight/v1/queries/large', { method: 'PUT', headers: JSON_TYPE, body }),
  ).toEqual([413, 'The body of a saved query may have at most 1000000 bytes.'])
})
