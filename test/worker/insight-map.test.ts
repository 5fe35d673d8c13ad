/** The map of the fleet and the wall: which group a node is in, how it is drawn, and what ten thousand nodes take. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { app } from '../../worker/app.ts'
import { ask, costOf, request, store } from './client.ts'
import { page } from './page.ts'
import { event, report, resource } from './reports.ts'

const MINUTE = 60_000
const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE).toISOString()

const OLD = 'production-a9c41d7e0b1c2d3e4f50'
const NEW = 'production-b71fe02c0b1c2d3e4f50'

const run = (
  certname: string,
  minutes: number,
  code: string,
  parts: Record<string, unknown> = {},
) =>
  report({
    certname,
    code_id: code,
    start_time: ago(minutes + 1),
    producer_timestamp: ago(minutes),
    end_time: ago(minutes),
    ...parts,
  })
const failed = {
  status: 'failed',
  resources: [resource({ events: [event({ status: 'failure', timestamp: ago(30) })] })],
}

beforeAll(async () => {
  await store(
    ...['web-1', 'web-2', 'web-3', 'db1', 'web-s1'].map((name) =>
      run(`${name}.example.com`, 80, OLD),
    ),
    run('web-9.example.com', 300, OLD),
    run('web-1.example.com', 40, NEW, failed),
    run('web-2.example.com', 30, NEW, failed),
    run('db1.example.com', 20, NEW, { status: 'changed', resources: [resource()] }),
    run('10.0.0.7', 20, OLD, { environment: 'staging' }),
  )
})

const certnames = (group: { cells: { certname: string }[] }): string[] =>
  group.cells.map(({ certname }) => certname.split('.example')[0]!)

describe('the map', () => {
  it('groups nodes by what stands before the first digit or dot of their names', async () => {
    const { by, nodes, groups } = await ask('/insight/v1/map')
    expect([by, nodes]).toEqual(['group', 7])
    expect(
      groups.map((group: never) => [group['name'], group['failing'], certnames(group)]),
    ).toEqual([
      ['web', 2, ['web-1', 'web-2', 'web-3', 'web-9']],
      ['db', 0, ['db1']],
      ['web-s', 0, ['web-s1']],
      ['other', 0, ['10.0.0.7']],
    ])
    expect(groups[0].cells.map(({ silent }: { silent: boolean }) => silent)).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  it.each([
    ['^(\\w+)-s?\\d', ['web', 'other']],
    ['\\d+', ['1', '10', '2', '3', '9']],
    ['nothing', ['other']],
  ])('by NODE_GROUP %s', async (pattern, names) => {
    const response = await app.fetch(new Request('http://service.example/insight/v1/map'), {
      ...env,
      NODE_GROUP: pattern,
    })
    const { groups } = await response.json<{ groups: { name: string }[] }>()
    expect(groups.map(({ name }) => name)).toEqual(names)
  })

  it('groups by environment, within the scope', async () => {
    const { groups } = await ask('/insight/v1/map', { by: 'environment' })
    expect(groups.map(({ name, nodes }: never) => [name, nodes])).toEqual([
      ['production', 6],
      ['staging', 1],
    ])
    expect((await ask('/insight/v1/map', { exclude: '^web' })).nodes).toBe(2)
  })

  it('refuses a pattern that is none', async () => {
    const response = await app.fetch(new Request('http://service.example/insight/v1/map'), {
      ...env,
      NODE_GROUP: '(web',
    })
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining('NODE_GROUP'),
    ])
  })
})

describe.each(['/console', '/console?layout=wall'])('%s', (path) => {
  it('draws a cell a node by state, and marks nodes that run the failing code next', async () => {
    const { html } = await page(path)
    const [, drawn] = /data-group="web"[^>]*>(.*?)<\/svg>/s.exec(html)!
    const cells = [...drawn!.matchAll(/class="cells (\w+)"[^>]* d="([^"]*)"/g)].map(
      ([, shape, line]) => [
        shape,
        // A line through neighbouring cells.
        line!.match(/M/g)!.length,
      ],
    )
    expect(cells).toEqual([
      ['failed', 1],
      ['next', 1],
      ['silent', 1],
    ])
  })

  it('says nothing of single cells: script names them, in the order of the map', async () => {
    const { html } = await page(path)
    const [, names] = /data-names="([^"]+)"/.exec(html)!
    const rows = await (
      await request(names!.replaceAll('&amp;', '&'))
    ).json<{ group: string; certname: string }[]>()
    expect(rows.filter(({ group }) => group === 'web').map(({ certname }) => certname)).toEqual(
      ['web-1', 'web-2', 'web-3', 'web-9'].map((name) => `${name}.example.com`),
    )
  })
})

describe('the wall', () => {
  it('says how many nodes fail, why, and what is next', async () => {
    const { text } = await page('/console?layout=wall')
    expect(text).toContain('2 nodes failing now')
    expect(text).toContain('1 of 7 nodes is silent')
    expect(text).toContain('runs b71fe02c next')
  })

  it('updates itself without script', async () => {
    const { html } = await page('/console?layout=wall')
    expect(html).toContain('<noscript><meta http-equiv="refresh" content="30" /></noscript>')
  })
})

describe('with ten thousand nodes more', () => {
  beforeAll(async () => {
    await env.DB.prepare(
      `insert into nodes (certname, latest, newest, state, environment, good, runs)
       select printf('%s-%05d.example.com', iif(copy.value % 3, 'app', 'worker'), copy.value), n.latest, n.newest,
         case copy.value % 100 when 1 then 3 when 2 then 2 when 3 then 1 else 0 end, n.environment, n.good, n.runs
       from nodes n, json_each(?1) copy where n.certname = 'web-3.example.com'`,
    )
      .bind(JSON.stringify(Array.from({ length: 10_000 }, (_, index) => index)))
      .run()
  })

  it.each(['/console', '/console?layout=wall'])(
    '%s has few elements, and takes one round trip of six statements, and one that checks the generation',
    async (path) => {
      const { elements, html, headers } = await page(path)
      expect(elements.length).toBeLessThanOrEqual(3500)
      expect(html).toContain('10,007 nodes')
      expect(costOf(new Response(null, { headers }))).toMatchObject({ roundTrips: 1 })
      expect(costOf(new Response(null, { headers })).statements).toBeLessThanOrEqual(7)
    },
  )

  it('has all of them in the answer', async () => {
    const response = await request('/insight/v1/map')
    const { nodes, groups } = await response.json<{
      nodes: number
      groups: { cells: unknown[] }[]
    }>()
    expect([nodes, groups.flatMap(({ cells }) => cells).length]).toEqual([10_007, 10_007])
  })
})
