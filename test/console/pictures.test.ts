/** Parts of the console's charts and maps that have rules of their own. */

import { describe, expect, it } from 'vitest'
import type { FleetCell } from '../../worker/insight/nodes/node-map.ts'
import { asOf } from '../../worker/console/scope-bar.ts'
import { message } from '../../worker/console/parts/message.ts'
import { stateBar } from '../../worker/console/parts/state-bar.ts'
import type { Visit } from '../../worker/console/visit.ts'
import { nodeNames } from '../../worker/console/parts/node-name.ts'
import { cellsOf, crossPattern, shaped } from '../../worker/console/svg/node-map.ts'
import type { Timeline } from '../../worker/insight/timeline.ts'
import { runChart, type RunChart } from '../../worker/console/svg/run-chart.ts'
import { spreadChart } from '../../worker/console/svg/spread.ts'
import { barChart } from '../../worker/console/svg/trend.ts'
import { DAY, formatTimestamp } from '../../worker/lib/time.ts'
import { dayLabel, roundEnd } from '../../worker/console/svg/ticks.ts'

it.each([
  [0, 2],
  [1, 2],
  [3, 4],
  [10, 10],
  [49, 60],
  [100, 100],
  [101, 160],
  [161, 200],
  [1700, 2000],
])('the scale of at most %i runs ends at %i, whose half is a whole number', (most, end) => {
  expect(roundEnd(most)).toBe(end)
  expect(Number.isInteger(end / 2)).toBe(true)
})

it('names days as people do', () => {
  expect(dayLabel(Date.parse('2026-11-03T00:00:00Z'))).toBe('3 Nov')
})

describe('deploys on the chart of runs', () => {
  const HOUR = DAY / 24
  const start = Date.parse('2026-11-03T00:00:00Z')
  const time = (minutes: number): string => new Date(start + minutes * 60_000).toISOString()
  const deploys = [
    ['bad00000', 40],
    ['fix00000', 100],
  ].map(([version, minutes]) => ({
    ...{ environment: 'production', code_version: `${version}`, time: time(Number(minutes)) },
  })) as Timeline['deploys']
  const drawn = (broke: string, failing: RunChart['failing'] = null): string =>
    String(
      runChart({
        timeline: {
          ...{ bucket: 'hour', runs: 10, states: [], deploys },
          buckets: Array.from({ length: 10 }, (_, hour) => ({
            ...{ start: formatTimestamp(start + hour * HOUR), runs: 1, states: [] },
          })),
        },
        failing,
        broke: ({ code_version }) => (code_version === broke ? 3 : 0),
        runs: () => '',
        deploy: () => '',
      }),
    )
  const labels = (chart: string): string[] =>
    [...chart.matchAll(/class="lab[^>]*>([^<]*production[^<]*)</g)].map(([, label]) =>
      label!.replace(/\s+/g, ' '),
    )

  it('have their lines at their times, within a bar', () => {
    const lines = [...drawn('').matchAll(/class="flag"\s+x1="([\d.]+)%"/g)].map(([, at]) => at)
    expect(lines).toEqual(['16.67', '6.67'])
  })

  it.each([
    ['the newest', '', 'fix00000 production, 01:40'],
    ['one that broke nodes', 'bad00000', 'bad00000 production, 00:40'],
  ])('are named where there is room: %s', (_, broke, label) => {
    expect(labels(drawn(broke))).toEqual([label])
  })

  it('are named first of all where nodes fail by them now', () => {
    const failing = { environment: 'production', code_version: 'fix00000' }
    expect(labels(drawn('bad00000', failing))).toEqual(['fix00000 production, 01:40'])
  })
})

it('has no tick within a bar of a day', () => {
  const start = Date.parse('2026-11-03T00:00:00Z')
  const chart = {
    ...{ name: 'Failed runs', length: DAY },
    starts: [start, start + DAY, start + 2 * DAY],
  }
  const labels = String(barChart(chart, [0.1, 0.2, 0.1], String)).match(/(?<=middle">)[^<]+/g)
  expect(labels).toEqual(['4 Nov', '5 Nov'])
})

describe('the cells of a map', () => {
  const grid = { pitch: 14, side: 11, columns: 3 }
  const cells = Array.from({ length: 3 }, (_, index): FleetCell => ({
    certname: `web-${index}`,
    environment: 'production',
    run: { state: 'changed', noop: index === 2, derived: false, fact_errors: false },
    silent: false,
    silence: null,
    latest: Date.parse('2026-03-02T06:00:00.000Z'),
    interval: null,
  }))
  const drawn = cellsOf(
    shaped({ name: 'web', nodes: 3, failing: 0, cells }, () => false),
    grid,
  ).join('')

  it('are one line through their centres a state', () => {
    expect(drawn).toContain('d="M5.5 5.5h14.1"')
  })

  it.each([11, 7, 5])('have a cross where they failed, also at a side of %i', (side) => {
    const failed = cells.map((cell) => ({
      ...cell,
      run: { ...cell.run!, state: 'failed' as const },
    }))
    const group = shaped({ name: 'web', nodes: 3, failing: 3, cells: failed }, () => false)
    expect(cellsOf(group, { ...grid, side }).join('')).toContain('stroke="url(#map-cross)"')
  })

  it('have the arms of a cross as long as each other, in the middle of a cell', () => {
    const cross = String(crossPattern({ ...grid, side: 10 }))
    expect(cross).toContain('width="14" height="14"')
    expect(cross).toContain('d="M2.6 2.6l4.8 4.8m0-4.8l-4.8 4.8"')
  })

  it('that are unchanged are whole rows beneath the others, and cleared under round ones', () => {
    const mixed = cells.map((cell, index) =>
      index === 0 ? cell : { ...cell, run: { ...cell.run!, state: 'unchanged' as const } },
    )
    const group = shaped({ name: 'web', nodes: 3, failing: 0, cells: mixed }, () => false)
    const paths = [
      ...cellsOf(group, grid)
        .join('')
        .matchAll(/class="cells ([a-z ]+)"[^>]* d="([^"]*)"/g),
    ]
    expect(paths.map(([, shape, line]) => [shape, line])).toEqual([
      ['fine', 'M5.5 5.5h28.1'],
      ['under', 'M5.5 5.5h0.1'],
      ['changed', 'M5.5 5.5h0.1'],
    ])
  })

  it('are hollow where changes are pending', () => {
    expect(drawn.match(/class="cells [a-z ]+"/g)).toEqual([
      'class="cells would"',
      'class="cells would over"',
      'class="cells changed"',
    ])
  })
})

it('the states of a fleet fill their bar to its end, with gaps between them', () => {
  const visit = { url: new URL('https://reports.example.com/console') } as Visit
  const state = (name: 'failed' | 'changed', count: number) =>
    ({ state: name, noop: false, count, silent: 0 }) as const
  const bar = stateBar(visit, {
    ...{ nodes: 4, silent: 0, fact_errors: 0, never_reported: 0, environments: [] },
    ...{ as_of: '2026-03-02T12:00:00.000Z', newest: null },
    states: [state('failed', 1), state('changed', 3)],
  })
  const parts = [...String(bar).matchAll(/x="([\d.]+)%"\s+width="([\d.]+)%"/g)]
  expect(parts.map(([, x, width]) => [x, width])).toEqual([
    ['0.00', '24.85'],
    ['25.00', '75.00'],
  ])
})

it.each([
  [0, [], 'M54 100.0H54V0.0H946V100.0'],
  [1, ['now'], 'M54 100.0H54V0.0H500V0.0H946V0.0'],
])('how a cause spreads is drawn up to the present while nodes fail: %i', (nodes, flags, line) => {
  const steps = [
    { time: '2026-03-02T10:00:00.000Z', nodes: 1 },
    { time: '2026-03-02T11:00:00.000Z', nodes },
  ]
  const now = Date.parse('2026-03-02T12:00:00.000Z')
  const chart = String(spreadChart({ steps, deployed: null, due: [] }, now))
  expect(chart.match(/(?<=y="8" text-anchor="middle">)[^<]+/g) ?? []).toEqual(flags)
  expect(/class="line failed"\s+d="([^"]+)"/.exec(chart)?.[1]).toBe(line)
})

it.each([
  ['follows what arrives', { newest: { time: 0 } }, true],
  ['is as of a moment', {}, false],
])('a page says and shows that it %s', (_, parts, isLive) => {
  const visit = { now: Date.parse('2026-03-02T12:00:00.000Z') } as Visit
  const told = String(asOf(visit, { title: 'Fleet', body: '', ...parts }))
  expect([told.includes('Live'), told.includes('class="dot"')]).toEqual([isLive, isLive])
})

describe('a message', () => {
  it('has the line of its reason marked', () => {
    const text = 'Reading package lists...\nE: Unable to locate package x\nexit 100'
    expect(String(message(text, 'E: Unable to locate package x'))).toContain(
      '\n<mark>E: Unable to locate package x</mark>\nexit 100',
    )
  })

  it('is shown as it is where its reason is not a line of it', () => {
    expect(String(message('a\nb', 'Exec[x] returned 1'))).not.toContain('<mark>')
  })
})

describe('the names of nodes in a table', () => {
  const named = (...names: string[]): string[] => {
    const nameOf = nodeNames(names.map((certname) => ({ certname })))
    return names.map((name) => String(nameOf(name)))
  }

  it('mark the domain that most of them share', () => {
    const [web, , other] = named('web.example.com', 'db.example.com', 'ci.example.net')
    expect(web).toContain('web<span class="dom muted">.example.com</span>')
    expect(other).toContain('>ci.example.net<')
  })

  it('stay whole where they share none', () => {
    expect(named('a.one.net', 'b.two.net').join('')).not.toContain('class="dom')
  })
})
