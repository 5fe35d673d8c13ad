/** What commands make of a node: active or not, and what its catalog and facts said last. */

import { describe, expect, it } from 'vitest'
import { ask, post, reportsOf, store } from './client.ts'
import { at, report, type Payload } from './reports.ts'

type Step = readonly [
  what: 'report' | 'plan' | 'deactivate' | 'catalog' | 'facts',
  milliseconds: number,
  parts?: Payload,
]
const COMMANDS = {
  deactivate: ['deactivate node', 3],
  catalog: ['replace catalog', 9],
  facts: ['replace facts', 5],
} as const

/** Sends commands of a node, each so many ms after noon. */
async function send(certname: string, steps: readonly Step[]): Promise<void> {
  for (const [what, milliseconds, parts] of steps) {
    const head = { certname, producer_timestamp: at(milliseconds), ...parts }
    if (what === 'report' || what === 'plan') {
      await store(report({ ...head, type: what === 'plan' ? 'plan' : 'agent' }))
    } else {
      const [command, version] = COMMANDS[what]
      const answer = await post({ command, version, certname }, JSON.stringify(head))
      expect(answer).toMatchObject({ status: 200 })
    }
  }
}

const nodeOf = (certname: string) => ask(`/query/v4/nodes/${certname}`)

/** Waits until the clock shows another millisecond than `time`. */
async function later(time: unknown): Promise<void> {
  while (Date.now() <= Date.parse(String(time))) {
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

describe('a node is deactivated', () => {
  it.each<[what: string, steps: Step[], deactivated: string | null]>([
    ['though nobody had heard of it', [['deactivate', 3]], at(3)],
    [
      'after its last report',
      [
        ['report', 0],
        ['deactivate', 1],
      ],
      at(1),
    ],
    [
      'in the millisecond of its last report',
      [
        ['report', 0],
        ['deactivate', 0],
      ],
      at(0),
    ],
    [
      'not by a command older than its latest report',
      [
        ['report', 5],
        ['deactivate', 3],
      ],
      null,
    ],
    [
      'not by one older than its facts',
      [
        ['facts', 5],
        ['deactivate', 3],
      ],
      null,
    ],
    [
      'not by one older than its catalog',
      [
        ['catalog', 5],
        ['deactivate', 3],
      ],
      null,
    ],
    [
      'as of the newest command',
      [
        ['deactivate', 1],
        ['deactivate', 3],
      ],
      at(3),
    ],
    [
      'and an older command changes nothing',
      [
        ['deactivate', 3],
        ['deactivate', 1],
      ],
      at(3),
    ],
    [
      'until a newer report',
      [
        ['deactivate', 3],
        ['report', 4],
      ],
      null,
    ],
    [
      'until a newer plan',
      [
        ['deactivate', 3],
        ['plan', 4],
      ],
      null,
    ],
    [
      'until newer facts',
      [
        ['deactivate', 3],
        ['facts', 4],
      ],
      null,
    ],
    [
      'until a newer catalog',
      [
        ['deactivate', 3],
        ['catalog', 4],
      ],
      null,
    ],
    [
      'whatever older report arrives',
      [
        ['deactivate', 3],
        ['report', 2],
      ],
      at(3),
    ],
    [
      'whatever report of that millisecond arrives',
      [
        ['deactivate', 3],
        ['report', 3],
      ],
      at(3),
    ],
    [
      'whatever older facts arrive',
      [
        ['deactivate', 3],
        ['facts', 2],
      ],
      at(3),
    ],
    [
      'again after it came back',
      [
        ['deactivate', 3],
        ['report', 4],
        ['deactivate', 5],
      ],
      at(5),
    ],
    [
      'from a date alone, at midnight',
      [['deactivate', 0, { producer_timestamp: '2026-03-04' }]],
      '2026-03-04T00:00:00.000Z',
    ],
  ])('%s', async (what, steps, deactivated) => {
    const certname = what.replaceAll(' ', '-')
    await send(certname, steps)
    expect(await nodeOf(certname)).toMatchObject({ deactivated, expired: null })
  })

  it('now, if the command has no time', async () => {
    await send('now', [['deactivate', 0, { producer_timestamp: undefined }]])
    const { deactivated }: { deactivated: string } = await nodeOf('now')
    expect(Math.abs(Date.parse(deactivated) - Date.now())).toBeLessThan(60_000)
  })
})

describe('an inactive node', () => {
  const filter = ['=', 'certname', 'inactive']
  const named = [expect.objectContaining({ certname: 'inactive' })]

  it.each<[where: string, path: string, query: unknown, rows: unknown[]]>([
    ['is not among the nodes', '/nodes', filter, []],
    ['is, when asked for', '/nodes', ['and', filter, ['=', 'node_state', 'inactive']], named],
    ['is, in any state', '/nodes', ['and', filter, ['=', ['node', 'active'], false]], named],
    [
      'is, where a subquery asks for it',
      '/nodes',
      [
        'in',
        'certname',
        ['extract', 'certname', ['select_nodes', ['and', filter, ['=', 'node_state', 'inactive']]]],
      ],
      named,
    ],
    ['keeps its reports', '/reports', filter, named],
    ['is left out at the root', '', ['from', 'reports', filter], []],
    [
      'is not, at the root, when asked for',
      '',
      ['from', 'reports', ['and', filter, ['=', 'node_state', 'inactive']]],
      named,
    ],
    ['keeps its latest report', '/reports', ['and', filter, ['=', 'latest_report?', true]], named],
  ])('%s', async (_, path, query, rows) => {
    await send('inactive', [
      ['report', 0],
      ['deactivate', 1],
    ])
    expect(await ask(`/query/v4${path}`, { query })).toEqual(rows)
  })

  it('is served by its name', async () => {
    expect(await nodeOf('inactive')).toMatchObject({ deactivated: at(1) })
    expect(await reportsOf('inactive')).toHaveLength(1)
  })
})

/** A time at which this file has run: the producer timestamps of its commands lie far from it. */
const RECEIVED = expect.toSatisfy(
  (text: string) => Math.abs(Date.parse(text) - Date.now()) < 3_600_000,
  'a time within the last hour',
) as unknown

describe('catalog and facts leave their environment and the time of their receipt', () => {
  it.each<[what: string, steps: Step[], columns: Payload]>([
    [
      'a catalog',
      [['catalog', 1, { environment: 'test' }]],
      { catalog_environment: 'test', catalog_timestamp: RECEIVED, facts_timestamp: null },
    ],
    [
      'facts',
      [['facts', 2, { environment: 'test' }]],
      { facts_environment: 'test', facts_timestamp: RECEIVED, catalog_timestamp: null },
    ],
    [
      'the newer ones',
      [
        ['facts', 2, { environment: 'old' }],
        ['facts', 3, { environment: 'new' }],
        ['catalog', 5, { environment: 'new' }],
        ['catalog', 4, { environment: 'old' }],
      ],
      {
        facts_environment: 'new',
        facts_timestamp: RECEIVED,
        catalog_environment: 'new',
        catalog_timestamp: RECEIVED,
      },
    ],
    [
      'the last ones of the same producer timestamp',
      [
        ['facts', 3, { environment: 'old' }],
        ['facts', 3, { environment: 'new' }],
        ['catalog', 3, { environment: 'old' }],
        ['catalog', 3, { environment: 'new' }],
      ],
      { facts_environment: 'new', catalog_environment: 'new' },
    ],
    [
      'no environment, where none is sent',
      [
        ['facts', 1, { environment: 'test' }],
        ['facts', 2, { environment: null }],
      ],
      { facts_environment: null, facts_timestamp: RECEIVED },
    ],
  ])('%s', async (what, steps, columns) => {
    const certname = `columns-${what.replaceAll(/\W+/g, '-')}`
    await send(certname, steps)
    expect(await nodeOf(certname)).toMatchObject(columns)
  })

  it('the time of older facts is not shown', async () => {
    await send('receipts', [['facts', 3]])
    const { facts_timestamp: first } = (await nodeOf('receipts')) as Payload
    await later(first)
    await send('receipts', [['facts', 2]])
    expect(await nodeOf('receipts')).toMatchObject({ facts_timestamp: first })
    await send('receipts', [['facts', 4]])
    expect(await nodeOf('receipts')).not.toMatchObject({ facts_timestamp: first })
  })

  it('an inactive node with new facts was heard of when they were produced', async () => {
    await send('produced', [
      ['facts', 1],
      ['deactivate', 2],
    ])
    expect(await nodeOf('produced')).toMatchObject({ deactivated: at(2) })
  })

  it('and environment and producer are known from then on', async () => {
    await send('knows', [['catalog', 0, { environment: 'by_catalog', producer: 'compiler' }]])
    expect(await ask('/query/v4/environments/by_catalog')).toEqual({ name: 'by_catalog' })
    expect(await ask('/query/v4/producers/compiler')).toEqual({ name: 'compiler' })
    expect(await ask('/query/v4/environments/by_catalog/reports')).toEqual([])
  })
})

describe('catalog_environment', () => {
  it.each<[what: string, certname: string, steps: Step[], environment: string | null]>([
    [
      'of a node without a catalog is that of its report',
      'reports',
      [['report', 0, {}]],
      'production',
    ],
    [
      'follows the latest report',
      'moves',
      [
        ['report', 0, {}],
        ['report', 1, { environment: 'staging' }],
      ],
      'staging',
    ],
    [
      'follows no earlier report',
      'late',
      [
        ['report', 1, { environment: 'staging' }],
        ['report', 0, {}],
      ],
      'staging',
    ],
    [
      'follows no report of a plan',
      'plans',
      [
        ['report', 0, {}],
        ['plan', 1, { environment: 'plans' }],
      ],
      'production',
    ],
    [
      'is that of the catalog where one was sent',
      'catalogs',
      [
        ['catalog', 0, { environment: 'of_catalog' }],
        ['report', 1, {}],
      ],
      'of_catalog',
    ],
    [
      'is none where the catalog has none',
      'bare',
      [
        ['catalog', 0, { environment: null }],
        ['report', 1, {}],
      ],
      null,
    ],
    ['is none without a report and a catalog', 'facts', [['facts', 0, {}]], null],
  ])('%s', async (_, name, steps, environment) => {
    const certname = `catalog-environment-${name}`
    await send(certname, steps)
    expect(await nodeOf(certname)).toMatchObject({ catalog_environment: environment })
    const found = await ask('/query/v4/nodes', {
      query: [
        'and',
        ['=', 'certname', certname],
        ['=', 'catalog_environment', environment ?? 'production'],
      ],
    })
    expect(found).toHaveLength(environment === null ? 0 : 1)
  })
})
