/** `/insight/v1/complete` and `/explain`: what helps while a query is written. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, costOf, parametersOf, request } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { at, resource } from './reports.ts'

beforeAll(async () => {
  const parts = { resource_type: 'Package', resource_title: 'nginx "x"' }
  await storeInTime(
    ...runsOf('web-1', '-', HALF_HOUR, { environment: 'staging' }),
    ...runsOf('web-1', 'C', 0),
    ...runsOf('web-2', 'C', 0, { resources: [resource(parts), resource()] }),
    ...runsOf('db-1', 'F', 0, { environment: 'lab' }),
  )
})

/** What is offered where the text has its mark. */
async function complete(marked: string) {
  const q = marked.replace('▏', '')
  const place = String(marked.indexOf('▏'))
  const answer = await ask('/insight/v1/complete', { q, at: place })
  return { ...answer, texts: answer.choices.map(({ text }: { text: string }) => text), q }
}

describe('offers just', () => {
  it.each<[query: string, choices: readonly string[]]>([
    ['▏', ['reports', 'nodes', 'environments', 'events']],
    ['rep▏', ['reports']],
    ['reports { cor▏', ['corrective_change']],
    ['reports[certname, co▏', ['corrective_change', 'configuration_version', 'code_id', 'count()']],
    ['reports { status ▏', ['is null', 'is not null', 'in', '!=', '!~', '=', '~']],
    [
      'reports { report_format ▏',
      ['is null', 'is not null', 'in', '!=', '=', '>=', '<=', '<', '>'],
    ],
    ['reports { noop = ▏', ['true', 'false']],
    ['reports { type = ▏', ['"agent"', '"plan"']],
    ['reports { status = "▏', ['"changed"', '"failed"', '"unchanged"']],
    ['reports { status = "failed" ▏', ['and', 'or', 'group by', 'limit', 'offset', 'order by']],
    ['reports { order by end_time ▏', ['asc', 'desc', 'limit', 'offset', 'order by']],
    ['reports { certname in nodes[certn▏', ['certname']],
    [
      'reports { end_time > ▏',
      [at(-3_600_000), at(-86_400_000)].map((time) => JSON.stringify(time)),
    ],
    ['nodes { certname = "we▏', ['"web-1"', '"web-2"']],
    ["nodes { certname = 'we▏", ["'web-1'", "'web-2'"]],
    ['nodes { certname in ["web-1", "d▏', ['"db-1"']],
    ['nodes { report_environment = ▏', ['"lab"', '"production"', '"staging"']],
    ['environments { name = "la▏', ['"lab"']],
    ['reports { agent_version = ▏', ['"8.10.0"']],
    ['events { resource_type = "p▏', ['"Package"']],
    ['events { resource_type = ▏', ['"File"', '"Package"']],
    ['events { resource_title = "ng▏', ['"nginx \\"x\\""']],
    ['events { containing_class = ▏', ['"Motd"']],
    ['events { file = "/code▏', ['"/code/manifests/motd.pp"']],
    ['reports { events { file = "/code▏', ['"/code/manifests/motd.pp"']],
    // Texts that no list is kept of, regular expressions, text that is wrong or whole.
    ['events { message = "▏', []],
    ['nodes { certname ~ "we▏', []],
    ['nodes { certname certname ▏', []],
    ['nodes { }▏', []],
    ['["from", "no▏', []],
  ])('%s', async (query, choices) => {
    expect((await complete(query)).texts).toEqual(choices)
  })
})

describe('a completion', () => {
  it('replaces the typed text and the quotation mark after it', async () => {
    const { from, to, q } = await complete('nodes { certname = "we▏" }')
    expect(q.slice(from, to)).toBe('"we"')
  })

  it('names the kind of each choice', async () => {
    const { choices } = await complete('reports { ▏')
    expect(choices).toContainEqual({ text: 'end_time', kind: 'field', detail: 'timestamp' })
    expect(choices).toContainEqual({ text: 'events', kind: 'entity', detail: 'related' })
    expect(choices).toContainEqual({ text: 'order by', kind: 'keyword', detail: null })
  })

  it('lists a limited number of values, and says whether there are more', async () => {
    await storeInTime(...Array.from({ length: 52 }, (_, n) => runsOf(`many-${n}`, '-')).flat())
    const { texts, more } = await complete('nodes { certname = "many▏')
    expect([texts.length, more]).toEqual([50, true])
    expect((await complete('nodes { certname = "many-4▏')).more).toBe(false)
  })

  it('takes one round trip, and reads only the values that it lists', async () => {
    const parameters = parametersOf({ q: 'nodes { certname = "many-4' })
    const { roundTrips, rowsRead } = costOf(await request(`/insight/v1/complete?${parameters}`))
    expect(roundTrips).toBe(1)
    // With the last keys, by which the answer's tag is known.
    expect(rowsRead).toBeLessThan(50)
  })

  it('has a tag that stays while nothing arrives', async () => {
    const path = '/insight/v1/complete?q=nodes'
    const etag = (await request(path)).headers.get('etag')!
    expect((await request(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })
})

describe('under a row policy', () => {
  const service = closed({
    TOKENS: [
      tokenLine('lab', 'read', 'environment=lab'),
      tokenLine('webs', 'read', 'certname=web-*'),
    ].join('\n'),
  })
  const values = async (name: string, q: string): Promise<string[]> =>
    (await service.ask(name, '/insight/v1/complete', { q })).choices.map(
      ({ text }: { text: string }) => text,
    )

  it.each<[name: string, query: string, choices: readonly string[]]>([
    ['lab', 'nodes { certname = "', ['"db-1"']],
    ['lab', 'reports { environment = ', ['"lab"']],
    ['lab', 'environments { name = ', ['"lab"']],
    ['lab', 'events { resource_type = ', ['"File"']],
    ['lab', 'events { resource_title = "ng', []],
    ['webs', 'nodes { certname = "', ['"web-1"', '"web-2"']],
    ['webs', 'reports { environment = ', ['"production"']],
    ['webs', 'events { resource_title = "ng', ['"nginx \\"x\\""']],
  ])('%s: %s', async (name, query, choices) => {
    expect(await values(name, query)).toEqual(choices)
  })

  it('gives no explanation of the cost of a query', async () => {
    const [status, text] = await service.as('lab', '/insight/v1/explain?query=nodes%20%7B%7D')
    expect([status, text]).toEqual([
      403,
      'explain shows what the whole database holds, and your access is restricted.',
    ])
  })
})

describe('an explanation', () => {
  it('has the query, its SQL with the implicit conditions, its plan, and the rows read', async () => {
    const query = 'reports[certname, status] { certname = "web-1" order by end_time desc limit 5 }'
    const answer = await ask('/insight/v1/explain', { query })
    expect(answer).toMatchObject({
      ast: [
        'from',
        'reports',
        ['extract', ['certname', 'status'], ['=', 'certname', 'web-1']],
        ['order_by', [['end_time', 'desc']]],
        ['limit', 5],
      ],
      rows: 2,
      rows_read: expect.any(Number),
      sql: expect.stringMatching(/^select /),
    })
    expect(answer.plan.join(' ')).toMatch(/reports USING INDEX reports_node/)
  })

  it('counts the rows of the page, without those that patterns are looked up in', async () => {
    const parameters = parametersOf({ query: 'reports { environment ~ "." limit 1 }' })
    const response = await request(`/insight/v1/explain?${parameters}`)
    const { rows_read: ofPage } = await response.json<{ rows_read: number }>()
    expect(ofPage).toBeGreaterThan(0)
    expect(ofPage).toBeLessThan(costOf(response).rowsRead)
  })

  it('of what is not stored reads nothing', async () => {
    expect(await ask('/insight/v1/explain', { query: 'facts { }' })).toMatchObject({
      sql: null,
      plan: [],
      rows_read: 0,
    })
  })

  it('of a wrong query names the mistake', async () => {
    const response = await request('/insight/v1/explain?query=nodes')
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('PQL')])
  })
})
