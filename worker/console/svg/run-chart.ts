/** Runs over time in up to three panels on one time axis, each on its own scale: failed, changed or corrected, all. */

import { BUCKETS } from '../../insight/buckets.ts'
import type { Timeline } from '../../insight/timeline.ts'
import { DAY, formatTimestamp, HOUR, MINUTE } from '../../lib/time.ts'
import type { StateCount, StateName } from '../../schema/states.ts'
import { counted, listed, number } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { html, type Html } from '../html.ts'
import { wordOf } from '../parts/mark.ts'
import { fillClass } from './strip.ts'
import { clockOf, roundEnd, ticks } from './ticks.ts'

/** Most bars; neighbours of a longer list share one. */
const MOST_BARS = 48
/** The least height of a count that is not zero, in px. */
const LEAST = 2

interface Panel {
  readonly name: string
  readonly states: readonly StateName[]
  /** In px. */
  readonly tall: number
}

const FAILED: Panel = { name: 'Failed runs', states: ['failed'], tall: 84 }
const REST: Panel = {
  name: 'Runs with changes or corrected drift',
  states: ['corrective', 'changed'],
  tall: 36,
}
const ALL: Panel = { name: 'All runs', states: [], tall: 24 }
/** Above each panel, for its name, and below the last one, for the times. */
const GAP = 26
const TIMES = 20

/** A panel where it is drawn. */
interface Drawn extends Panel {
  /** From the top of the chart, in px. */
  readonly top: number
  readonly foot: number
  /** The value at its top. */
  readonly most: number
}

/** The panels that have something to show, below each other. */
function drawn(bars: readonly Bar[]): readonly Drawn[] {
  const most = (panel: Panel): number =>
    Math.max(0, ...bars.map((bar) => (panel === ALL ? bar.runs : sum(bar, panel.states))))
  let foot = FLAGS - 6
  return [FAILED, REST, ALL].flatMap((panel) => {
    const greatest = most(panel)
    if (greatest === 0 && panel !== ALL) return []
    const top = foot + GAP
    foot = top + panel.tall
    const end = panel === FAILED ? roundEnd(greatest) : Math.max(1, greatest)
    return [{ ...panel, top, foot, most: end }]
  })
}

/** Room above the panels, for the names of deploys. */
const FLAGS = 20

interface Bar {
  readonly start: number
  readonly end: number
  readonly runs: number
  readonly states: readonly StateCount[]
}

export interface Flag {
  readonly time: string
  readonly environment: string
  readonly code_version: string
}

export interface RunChart {
  readonly timeline: Timeline
  /** The deploy by which nodes fail now; null if there is none. */
  readonly failing: { readonly environment: string; readonly code_version: string } | null
  /** How many nodes broke with a deploy. */
  readonly broke: (flag: Flag) => number
  /** The address of the runs of a bar. */
  readonly runs: (start: number, end: number) => string
  readonly deploy: (flag: Flag) => string
}

export function runChart({ timeline, failing, broke, runs, deploy }: RunChart): Html {
  const bars = barsOf(timeline)
  const first = bars[0]?.start ?? 0
  const whole = (bars.at(-1)?.end ?? 1) - first
  const x = (time: number): number => ((time - first) / whole) * 100
  const panels = drawn(bars)
  const failed = panels.find(({ name }) => name === FAILED.name)
  const all = panels.at(-1)!
  const foot = all.foot + TIMES
  const isFailing = ({ environment, code_version }: Flag): boolean =>
    failing?.environment === environment && failing.code_version === code_version
  const flags = flagsOf(timeline.deploys, x, (flag) =>
    isFailing(flag) ? 'failing' : broke(flag) > 0 ? 'broke' : 'other',
  )
  const unused = flags.length === 0 ? FLAGS : 0
  return html`<svg class="chart" height="${foot - unused}" role="group" aria-label="Runs over time">
    <g transform="translate(0 ${-unused})">
      ${ticksOf(first, first + whole).map(
        ({ time, anchor }, index) =>
          html`<text
            x="${percent(x(time))}"
            y="${foot - 4}"
            text-anchor="${anchor}"
            ${index % 2 === 1 ? html`class="minor"` : ''}
            ${time % DAY === 0 ? '' : html`data-time="${formatTimestamp(time)}"`}
            >${clockOf(time, false)}</text
          >`,
      )}
      ${flags.map((one) => flagMark(one, all.foot, deploy(one.flag)))}
      ${panels.map((panel, index) => frame(panel, index === 0 ? ` ${barLength(bars)}` : ''))}${failed === undefined ? '' : scale(failed)}
      ${bars.map((bar) => {
        const [from, to] = [x(bar.start), x(bar.end)]
        return html`<a href="${runs(bar.start, bar.end)}"
          ><title>${label(bar, timeline.bucket)}</title>${columns(bar, panels, from, to)}</a
        >`
      })}
    </g>
  </svg>`
}

/** The line of a deploy, and its name where there is room for it. */
const flagMark = (
  { flag, at, on, labelled, onlyWide }: ReturnType<typeof flagsOf>[number],
  foot: number,
  href: string,
): Html =>
  html`<line
      class="flag${on ? ' on' : ''}"
      x1="${percent(at)}"
      x2="${percent(at)}"
      y1="14"
      y2="${foot}"
    ></line
    >${
      labelled
        ? html`<a href="${href}" ${onlyWide ? html` class="broad-only"` : ''}
            ><text
              class="lab${on ? ' on' : ''}"
              x="${percent(at)}"
              y="9"
              text-anchor="${anchorOf(at)}"
              >${short(flag.code_version)} ${flag.environment}, ${flag.time.slice(11, 16)}</text
            ></a
          >`
        : ''
    }`

/** A bar in all panels, over an area that the pointer finds. */
function columns(bar: Bar, panels: readonly Drawn[], from: number, to: number): Html {
  const all = panels.at(-1)!
  const width = (to - from) * 0.8
  return html`<rect
      class="hit"
      x="${percent(from)}"
      width="${percent(to - from)}"
      y="${FLAGS}"
      height="${all.foot - FLAGS}"
    />${panels.map((panel) => stack(bar, panel, from, width))}${box('f-quiet-2', from, width, all.foot, height(bar.runs, all))}`
}

/** The bars of a timeline: its buckets, or some neighbours together. */
function barsOf({ buckets, bucket }: Timeline): readonly Bar[] {
  const length = BUCKETS[bucket]
  const size = Math.ceil(buckets.length / MOST_BARS)
  return Array.from({ length: Math.ceil(buckets.length / size) || 0 }, (_, index) => {
    const some = buckets.slice(index * size, (index + 1) * size)
    const start = Date.parse(some[0]!.start)
    return {
      start,
      end: start + size * length,
      runs: some.reduce((all, { runs }) => all + runs, 0),
      states: some.length === 1 ? some[0]!.states : merged(some.flatMap(({ states }) => states)),
    }
  })
}

const merged = (counts: readonly StateCount[]): readonly StateCount[] =>
  [...Map.groupBy(counts, ({ state, noop }) => `${state} ${noop}`).values()].map((same) => ({
    ...same[0]!,
    count: same.reduce((all, { count }) => all + count, 0),
  }))

const sum = ({ states }: Bar, wanted: readonly StateName[]): number =>
  states.reduce((all, { state, count }) => (wanted.includes(state) ? all + count : all), 0)

const percent = (value: number): string => `${Number(value.toFixed(2))}%`

const height = (count: number, { most, tall }: Drawn): number =>
  count === 0 ? 0 : Math.max(LEAST, (count / most) * tall)

/** The foot of a panel and its name. @param each how long a bar is */
const frame = ({ name, top, foot, most }: Drawn, each: string): Html =>
  html`<line class="base" x1="0" x2="100%" y1="${foot + 0.5}" y2="${foot + 0.5}"></line
    ><text class="lab" x="${name === FAILED.name ? 12 + 7 * number(most).length : 0}" y="${top - 7}"
      >${name}<tspan class="most"
        >${each}${name === FAILED.name ? '' : `, up to ${number(most)}`}</tspan
      ></text
    >`

/** Lines at the end of the scale of failures and at its half. */
const scale = ({ most, foot, tall }: Drawn): Html[] =>
  [most, most / 2].map((count) => {
    const y = foot - (count / most) * tall
    return html`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}"></line
      ><text x="0" y="${y - 7}">${number(count)}</text>`
  })

/** `per 5 minutes`, `per hour`, `per 4 hours`, `per day`: how long a bar is. */
function barLength(bars: readonly Bar[]): string {
  const length = bars.length === 0 ? HOUR : bars[0]!.end - bars[0]!.start
  const [unit, of] = UNITS.find(([, one]) => length % one === 0) ?? UNITS.at(-1)!
  const count = length / of
  return `per ${count === 1 ? unit : `${count} ${unit}s`}`
}

const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const

/** The worst state is at the foot, where heights are easy to compare. */
function stack(bar: Bar, panel: Drawn, x: number, width: number): Html[] {
  let foot = panel.foot
  return bar.states
    .filter(({ state }) => panel.states.includes(state))
    .toSorted((one, other) => panel.states.indexOf(one.state) - panel.states.indexOf(other.state))
    .map((one) => {
      const tall = height(one.count, panel)
      foot -= tall
      return box(fillClass(one), x, width, foot + tall, tall)
    })
}

const box = (kind: string, x: number, width: number, foot: number, tall: number): Html =>
  tall === 0
    ? ''
    : html`<rect
        class="${kind}"
        x="${percent(x)}"
        width="${percent(width)}"
        y="${(foot - tall).toFixed(1)}"
        height="${tall.toFixed(1)}"
      />`

function label({ start, runs, states }: Bar, bucket: string): string {
  const text = formatTimestamp(start)
  const time = bucket === 'day' ? text.slice(0, 10) : `${text.slice(0, 16).replace('T', ' ')} UTC`
  const kinds = states.map((one) => `${number(one.count)} ${wordOf(one)}`)
  return runs === 0 ? `${time}: no runs` : `${time}: ${counted(runs, 'run')}: ${listed(kinds)}`
}

/** Labels of round hours or days. */
const ticksOf = (from: number, to: number) =>
  ticks(from, to, MOST_TICKS).map((time) => ({
    time,
    anchor: anchorOf(((time - from) / (to - from)) * 100),
  }))

const MOST_TICKS = 9

const anchorOf = (place: number): string => (place < 12 ? 'start' : place > 88 ? 'end' : 'middle')

const MOST_FLAGS = 12
/** The room of a label, in per cent of the width. */
const LABEL = 24

/** What became of a deploy, in the order in which labels find room. */
const OUTCOMES = ['failing', 'broke', 'other'] as const
type Outcome = (typeof OUTCOMES)[number]

/**
 * The newest deploys. Where labels would overlap, that stays by which nodes fail now, else one that broke nodes, else the newest;
 * narrow windows have one label.
 */
function flagsOf(
  deploys: Timeline['deploys'],
  x: (time: number) => number,
  outcomeOf: (flag: Flag) => Outcome,
) {
  const flags = deploys
    .slice(-MOST_FLAGS)
    .toReversed()
    .map((flag) => {
      const outcome = outcomeOf(flag)
      return {
        ...{ flag, at: x(Date.parse(flag.time)), on: outcome === 'failing' },
        rank: OUTCOMES.indexOf(outcome),
      }
    })
    .filter(({ at }) => at >= 0 && at <= 100)
  const labelled = new Set<(typeof flags)[number]>()
  for (const one of flags.toSorted((one, other) => one.rank - other.rank))
    if ([...labelled].every((other) => Math.abs(other.at - one.at) >= LABEL)) labelled.add(one)
  const [first] = labelled
  return flags.map((one) => ({ ...one, labelled: labelled.has(one), onlyWide: one !== first }))
}
