/** The console's goals, and whether measured figures meet them. */

import type { PageFigures, SizeFigures } from './figures.ts'
import { sumOf } from './processor.ts'

/** One figure and its bound. */
export interface Verdict {
  readonly goal: number
  readonly what: string
  /** The page with the worst figure. */
  readonly on: string
  /** Null if it could not be measured. */
  readonly ours: number | null
  readonly most: number
  /** The same figures of Puppetboard 7.0.2, measured once: with 51 nodes, or with 1,000 if the goal says so. */
  readonly puppetboard: number | null
}

export const isMet = ({ ours, most }: Verdict): boolean | null =>
  ours === null || Number.isNaN(ours) ? null : ours <= most

const KB = 1000

type Figure = (page: PageFigures) => number | null | undefined

/** A goal for every page, checked on the worst one. */
interface EveryPage {
  readonly goal: number
  readonly what: string
  readonly most: number
  readonly figure: Figure
  readonly puppetboard: number | null
}

const EVERY_PAGE: readonly EveryPage[] = [
  {
    goal: 2,
    what: 'KB of a first visit, gzipped',
    most: 30,
    figure: ({ visits }) => visits && visits.bytes / KB,
    puppetboard: 750,
  },
  {
    goal: 2,
    what: 'KB with the editor, gzipped',
    most: 160,
    figure: ({ editorBytes }) => editorBytes && editorBytes / KB,
    puppetboard: null,
  },
  {
    goal: 3,
    what: 'requests of a first visit',
    most: 5,
    figure: ({ visits }) => visits?.requests,
    puppetboard: 34,
  },
  {
    goal: 4,
    what: 'round trips to D1',
    most: 1,
    figure: ({ cost }) => cost?.roundTrips,
    puppetboard: null,
  },
  {
    goal: 4,
    what: 'statements',
    most: 6,
    figure: ({ cost }) => cost?.statements,
    puppetboard: 22,
  },
  {
    goal: 5,
    what: 'LCP, ms',
    most: 300,
    figure: ({ visits }) => visits?.lcpMilliseconds,
    puppetboard: null,
  },
  {
    goal: 7,
    what: 'CPU of a page, first of an isolate, ms',
    most: 5,
    figure: ({ processor }) => processor && sumOf(processor.cold),
    puppetboard: null,
  },
  {
    goal: 7,
    what: 'CPU of a page, warm, ms',
    most: 2,
    figure: ({ processor }) => processor && sumOf(processor.warm),
    puppetboard: null,
  },
]

/** The goals of one fleet. */
function ofOne({ nodes, pages }: SizeFigures): Verdict[] {
  const every = EVERY_PAGE.flatMap(({ goal, what, most, figure, puppetboard }): Verdict[] => {
    const worst = pages.toSorted((one, other) => (figure(other) ?? 0) - (figure(one) ?? 0))[0]!
    const ours = figure(worst) ?? null
    // Some figures exist only for certain pages or for one fleet.
    if (ours === null && goal !== 5) return []
    return [{ goal, what, on: `${worst.page.name}, ${nodes} nodes`, ours, most, puppetboard }]
  })
  return [...every, ...ratios(nodes, pages)].toSorted((one, other) => one.goal - other.goal)
}

/** Half of Puppetboard's time, at the size of its measurement. */
function ratios(nodes: number, pages: readonly PageFigures[]): Verdict[] {
  if (nodes > 100) return []
  return pages.flatMap(({ page: { name, puppetboardLcp }, visits }): Verdict[] =>
    puppetboardLcp === null || visits === null
      ? []
      : [
          {
            goal: 5,
            what: 'LCP, ms, half of Puppetboard’s',
            on: `${name}, ${nodes} nodes`,
            ours: visits.lcpMilliseconds,
            most: puppetboardLcp / 2,
            puppetboard: puppetboardLcp,
          },
        ],
  )
}

/** Bounds of the fleet page with a thousand nodes, and Puppetboard's figures at that size. */
const FLEET_OF_1000: readonly {
  readonly what: string
  readonly most: number
  readonly figure: Figure
  readonly puppetboard: number
}[] = [
  {
    what: 'LCP, ms',
    most: 300,
    figure: ({ visits }) => visits?.lcpMilliseconds,
    puppetboard: 1892,
  },
  { what: 'elements', most: 2500, figure: ({ visits }) => visits?.elements, puppetboard: 16_104 },
  {
    what: 'KB of HTML, gzipped',
    most: 25,
    figure: ({ visits }) => visits && visits.htmlGzippedBytes / KB,
    puppetboard: 960,
  },
]
const MOST_GROWTH = 1.3

/** Goals for the fleet page with a thousand nodes, and for its growth beyond. */
function ofGrowth(sizes: readonly SizeFigures[]): Verdict[] {
  const fleetOf = (size: SizeFigures | undefined) =>
    size?.pages.find(({ page }) => page.name === 'fleet')
  const base = sizes.find(({ nodes }) => nodes === 1000)
  const fleet = fleetOf(base)
  if (!base || !fleet?.visits) return []
  const at1000 = FLEET_OF_1000.map(({ what, most, figure, puppetboard }) => ({
    goal: 6,
    what,
    on: `fleet, 1000 nodes, ${base.failed} failed`,
    ours: figure(fleet) ?? null,
    most,
    puppetboard,
  }))
  const beyond = sizes.filter(({ nodes }) => nodes > 1000)
  const growth = beyond.flatMap((size) => {
    const larger = fleetOf(size)!
    return FLEET_OF_1000.map(({ what, figure }) => ({
      goal: 6,
      what: `${what}, ratio to 1000 nodes`,
      on: `fleet, ${size.nodes} nodes, ${size.failed} failed`,
      ours: (figure(larger) ?? NaN) / (figure(fleet) ?? NaN),
      most: MOST_GROWTH,
      puppetboard: null,
    }))
  })
  return [...at1000, ...growth]
}

/** Statements per additional failure: 0 if every fleet takes the same number. */
function independence(sizes: readonly SizeFigures[]): Verdict[] {
  const [smallest, ...others] = sizes.toSorted((one, other) => one.failed - other.failed)
  return others.map(({ nodes, failed, pages }) => ({
    goal: 4,
    what: `statements more than with ${smallest!.failed} failed`,
    on: `all pages, ${nodes} nodes, ${failed} failed`,
    ours: Math.max(
      ...pages.map(
        ({ cost }, index) =>
          (cost?.statements ?? NaN) - (smallest!.pages[index]!.cost?.statements ?? NaN),
      ),
    ),
    most: 0,
    puppetboard: failed - smallest!.failed,
  }))
}

/** All goals, each with its worst figure. */
export const verdictsOf = (sizes: readonly SizeFigures[]): Verdict[] => [
  ...sizes.flatMap(ofOne),
  ...independence(sizes),
  ...ofGrowth(sizes),
]
