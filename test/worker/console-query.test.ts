/** The query page: languages, views, pages, what is saved. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, costOf, post, request, store, storeReport, textOf } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { page, readPage, visit } from './page.ts'
import { event, report, resource } from './reports.ts'

const BIG = '12345678901234567890'

beforeAll(async () => {
  await store(report({ certname: 'web-1' }), report({ certname: 'web-2', status: 'failed' }))
  const changed = resource({ events: [event({ old_value: 'BIG', new_value: { deep: 'BIG' } })] })
  const body = JSON.stringify(report({ certname: 'db-1', resources: [changed] }))
  await post(storeReport('db-1'), body.replaceAll('"BIG"', BIG))
})

const at = (parameters: Record<string, string>): string =>
  `/console/query?${new URLSearchParams(parameters).toString()}`

describe('the language', () => {
  it('stands in the field letter for letter', async () => {
    expect((await page(at({ q: 'nodes {}' }))).html).toContain('>nodes {}</textarea>')
    expect((await page('/console/query')).html).toContain('></textarea>')
  })

  it('may be AST that names its entity', async () => {
    const { text } = await page(at({ q: '["from", "nodes", ["=", "certname", "web-1"]]' }))
    expect(text).toContain('1 row ·')
    expect(text).toContain('query=["from", "nodes", ["=", "certname", "web-1"]]')
  })
})

describe('every value is shown digit for digit', () => {
  const q = 'events[old_value, new_value] { certname = "db-1" }'

  it('in the table', async () => {
    expect(await (await page(at({ q }))).texts('tbody td')).toEqual([BIG, `{"deep":${BIG}}`])
  })

  it.each([
    ['json', `[{"old_value":${BIG},"new_value":{"deep":${BIG}}}]`],
    ['ndjson', `{"old_value":${BIG},"new_value":{"deep":${BIG}}}\n`],
    ['csv', `old_value,new_value\r\n${BIG},"{""deep"":${BIG}}"\r\n`],
  ])('in the export as %s', async (format, text) => {
    const response = await request(at({ q }).replace('?', `.${format}?`))
    expect(await textOf(response)).toBe(text)
  })

  it.each(['json', 'chart'])('in the table, at an address of an earlier view: %s', async (view) => {
    expect(await (await page(at({ q, view }))).texts('tbody td')).toHaveLength(2)
  })
})

describe('a long answer', () => {
  beforeAll(async () => {
    const many = Array.from({ length: 102 }, (_, n) =>
      event({ property: `p${String(n).padStart(3, '0')}` }),
    )
    await store(report({ certname: 'many', resources: [resource({ events: many })] }))
  })
  const q = 'events[property] { certname = "many" order by property }'

  it('comes page by page', async () => {
    const first = await page(at({ q }))
    expect(first.text).toContain('Rows 1–100 (export for all)')
    const next = first.links.find((link) => link.includes('cursor=100'))!
    const second = await page(next)
    expect(await second.texts('tbody td')).toEqual(['p100', 'p101'])
    expect(second.links.some((link) => link.includes('cursor='))).toBe(false)
    const whole = await request(at({ q, cursor: '100' }).replace('?', '.json?'))
    expect(await whole.json()).toHaveLength(102)
  })

  it('is no longer than its own limit', async () => {
    const limited = q.replace('order', 'limit 101 order')
    const second = await page(at({ q: limited, cursor: '100' }))
    expect(await second.texts('tbody td')).toEqual(['p100'])
  })
})

describe('what helps', () => {
  it('an explanation says how and how much is read', async () => {
    const { text } = await page(at({ q: 'reports[status] {}', view: 'explain' }))
    expect(text).toMatch(/SCAN reports|SEARCH reports/)
    expect(text).toMatch(/\d+ rows read for the first \d+/)
  })

  it('a name that is wrong is found in the query', async () => {
    const q = 'nodes { certnam = "x" }'
    expect(await (await request(at({ q }).replace('/query', '/check'))).json()).toMatchObject({
      from: 8,
      to: 15,
    })
    const found = await page(at({ q }))
    expect((await found.texts('[role=alert]'))[0]).toContain('At character 9:')
    expect(await found.texts('[role=alert] mark')).toEqual(['certnam'])
    const lines = await page(at({ q: q.replaceAll(' ', '\n') }))
    expect(await lines.texts('[role=alert] mark')).toEqual(['certnam'])
  })

  it('the editor is told what the API tells', async () => {
    const parameters = new URLSearchParams({ q: 'nodes { certname = "web' }).toString()
    const [here, there] = ['/console/complete', '/insight/v1/complete'].map((path) =>
      request(`${path}?${parameters}&at=23`).then((response) => response.json()),
    )
    expect(await here).toEqual(await there)
  })
})

describe('what is wrong in AST is found in it:', () => {
  it.each<[q: string, wrong: string]>([
    ['["from", "nodes", ["=", "certnam", "x"]]', '"certnam"'],
    ['["from", "nodes",\n ["=", "certname", "name"],\n ["limit" 1]]', '1'],
    ['["from", "nodes",\n ["=", "certname", x]]', 'x'],
    ['["from", "nods"]', '"nods"'],
    ['["from", "nodes", ["nott", ["=", "certname", "not"]]]', '"nott"'],
    ['["from", "reports", ["and", ["=", "certname", "status"], ["=", "stat", 1]]]', '"stat"'],
    ['["from", "reports", ["extract", [["function", "cont"]]]]', '"cont"'],
  ])('%s', async (q, wrong) => {
    const parameters = new URLSearchParams({ q }).toString()
    const { from, to, message } = await (
      await request(`/console/check?${parameters}`)
    ).json<{ from: number; to: number; message: string }>()
    expect([q.slice(from, to), message]).toEqual([wrong, expect.any(String)])
  })
})

describe('a page of the console takes one round trip, also with a query:', () => {
  const tripsOf = async (parameters: Record<string, string>) =>
    costOf(await request(at(parameters), { headers: { accept: 'text/html' } })).roundTrips

  it.each<[parameters: Record<string, string>, trips: number]>([
    [{ q: '' }, 1],
    [{ q: 'nodes {}' }, 1],
    [{ q: 'reports[status, count()] { group by status }' }, 1],
    [{ q: 'events[property] { certname ~ "^many" }' }, 1],
    // Whole reports: those of a page with their logs, metrics and events.
    [{ q: 'reports { limit 3 }' }, 1],
    [{ q: 'facts {}' }, 1],
    [{ q: 'nodes { stauts = 1 }' }, 1],
    // It counts what the query alone reads.
    [{ q: 'nodes {}', view: 'explain' }, 2],
  ])('%j: %i', async (parameters, trips) => {
    // An isolate that knows no words yet reads them first.
    await tripsOf(parameters)
    expect(await tripsOf(parameters)).toBe(trips)
  })
})

it('asks what was meant before it lists what there is', async () => {
  const { text } = await page(at({ q: 'reports { stauts = "failed" }' }))
  expect(text).toMatch(/Did you mean 'status'\? Known queryable objects are/)
})

const ORIGIN = 'http://service.example'
/** What is saved stands on a page of its own. */
const SAVED = '/console/saved'
const form = (
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): RequestInit => ({
  method: 'POST',
  redirect: 'manual',
  headers: { origin: ORIGIN, accept: 'text/html', ...headers },
  body: new URLSearchParams(fields),
})
const send = (fields: Record<string, string>, headers?: Record<string, string>) =>
  request('/console/queries', form(fields, headers))
const saved = async (): Promise<string[]> =>
  (await ask('/insight/v1/queries'))
    .filter(({ preset }: { preset: boolean }) => !preset)
    .map(({ name, title }: { name: string; title: string }) => `${name}: ${title}`)

describe('a query is', () => {
  const query = 'nodes { certname ~ "web" }'

  it('saved and deleted by the forms of the page', async () => {
    const before = await page(at({ q: query }))
    expect(await before.texts('form[action="/console/queries"] button')).toEqual(['Save'])
    const response = await send({ do: 'save', title: 'Web servers', query })
    expect([response.status, response.headers.get('location')]).toEqual([302, at({ q: query })])
    expect(await saved()).toEqual(['web-servers: Web servers'])

    const again = await page(at({ q: query }))
    expect(await again.texts('form[action="/console/queries"] button')).toEqual([])
    expect(again.links).toContain(SAVED)
    const after = await page(SAVED)
    expect(await after.texts('form[action="/console/queries"] button')).toEqual([
      'Delete this for everyone',
    ])
    expect(after.links).toContain(at({ q: query }))
    const deleted = await send({ do: 'delete', name: 'web-servers', title: 'whatever' })
    expect([deleted.status, deleted.headers.get('location')]).toEqual([302, SAVED])
    expect(await saved()).toEqual([])
  })

  it('shown by its title, letter for letter', async () => {
    await send({ do: 'save', title: 'Web <servers>', query })
    expect((await page(SAVED)).html).toContain('>Web &lt;servers&gt;</a>')
    const [one] = await saved()
    await send({ do: 'delete', name: one!.split(':')[0]! })
  })

  it('saved under a title in any script', async () => {
    await send({ do: 'save', title: 'Серверы', query })
    const [one] = await saved()
    expect(one).toMatch(/^query-[0-9a-f]{12}: Серверы$/)
    await send({ do: 'delete', name: one!.split(':')[0]! })
  })

  it.each<[fields: Record<string, string>, sentence: string]>([
    [{ do: 'save', title: 'Drift', query }, 'There is a query “Drift” already.'],
    [{ do: 'save', title: ' ', query }, 'A query needs a title of at most 200 characters.'],
    [{ do: 'save', title: 'x', query: 'nodes {' }, 'PQL parse error'],
    [{ do: 'delete', name: 'drift' }, "'drift' comes with the service"],
    [{ title: 'x' }, 'The form does not say what to do'],
  ])('not: %j', async (fields, sentence) => {
    const read = await readPage(await send(fields))
    expect([read.status, await read.texts('[role=alert]')]).toEqual([
      400,
      expect.arrayContaining([expect.stringContaining(sentence)]),
    ])
    expect(await saved()).toEqual([])
  })

  it('told on the page of its form why it is not deleted', async () => {
    const read = await readPage(await send({ do: 'delete', name: 'drift' }))
    expect([read.status, read.title]).toEqual([400, expect.stringMatching(/^Saved · /)])
    expect(await read.texts('[role=alert]')).toHaveLength(1)
  })

  it('that is unknown not deleted', async () => {
    expect((await send({ do: 'delete', name: 'unknown' })).status).toBe(404)
  })

  it('not taken from the page of another site', async () => {
    const fields = { do: 'save', title: 'x', query }
    expect((await send(fields, { origin: 'http://elsewhere.example' })).status).toBe(403)
    expect((await request('/console/queries', { method: 'POST', body: 'do=save' })).status).toBe(
      403,
    )
    expect(await saved()).toEqual([])
  })
})

describe('whoever may only read', () => {
  const service = closed({
    TOKENS: [
      tokenLine('reader', 'read'),
      tokenLine('lab', 'read', 'environment=lab'),
      tokenLine('lab-admin', 'admin', 'environment=lab'),
    ].join('\n'),
  })

  it('is shown what is saved, and no form to change it', async () => {
    await send({ do: 'save', title: 'Mine', query: 'nodes {}' })
    const [status, text] = await service.as('reader', SAVED)
    expect([status, text.includes('>Mine</a>')]).toEqual([200, true])
    expect(text).not.toContain('action="/console/queries"')
    const [, asked] = await service.as('reader', at({ q: 'reports {}' }))
    expect(asked).not.toContain('action="/console/queries"')
    await send({ do: 'delete', name: 'mine' })
  })

  it.each(['reader', 'lab-admin'])('changes nothing: %s', async (token) => {
    await send({ do: 'save', title: 'Mine', query: 'nodes {}' })
    for (const fields of [
      { do: 'save', title: 'x', query: 'nodes {}' },
      { do: 'delete', name: 'mine' },
    ]) {
      expect((await service.as(token, '/console/queries', form(fields)))[0]).toBe(403)
    }
    expect(await saved()).toEqual(['mine: Mine'])
    await send({ do: 'delete', name: 'mine' })
  })

  it('does not show a restricted reader how many rows were read', async () => {
    const response = await service.request(at({ q: 'reports {}' }), {
      headers: { 'x-authentication': 'lab', accept: 'text/html' },
    })
    expect(response.headers.get('server-timing')).toBeNull()
    const text = await response.text()
    expect(text).toContain('0 rows')
    expect(text).not.toMatch(/rows? read/)
    const [, explained] = await service.as('lab', at({ q: 'reports {}', view: 'explain' }))
    expect(explained).toContain('explain shows what the whole database holds')
  })
})

it('a visit without a query offers those that come with the service', async () => {
  const presets = (await ask('/insight/v1/queries')) as { query: string }[]
  const { links } = await readPage(await visit('/console/query'))
  for (const { query } of presets) expect(links).toContain(at({ q: query }))
})
