/** Rows of reports are expanded a few at a time: by their events, and by the long values of these. */

import { describe, expect, it } from 'vitest'
import { MOST_EVENTS, runsByEvents } from '../../worker/store/expand.ts'
import type { PageRow } from '../../worker/sql/page.ts'

const MOST_CHARACTERS = 4_000_000

const rowsOf = (...events: readonly number[]): PageRow[] =>
  events.map((count, key) => ({ 'key.id': key, 'extra.events': count }) as unknown as PageRow)
/** Events with long values, each as its report and how many characters these have. */
const eventsOf = (...sizes: readonly (readonly [report: number, size: number])[]): PageRow[] =>
  sizes.map(
    ([report, size]) => ({ 'key.report': report, 'extra.size': size }) as unknown as PageRow,
  )
const keysOf = (runs: readonly PageRow[][]): number[][] =>
  runs.map((run) => run.map((row) => row['key.id']))

describe('rows are expanded together', () => {
  it.each<[events: number[], runs: number[][]]>([
    [[], []],
    [[0, 0, 0], [[0, 1, 2]]],
    [[MOST_EVENTS - 1, 1], [[0, 1]]],
    [
      [MOST_EVENTS, 1],
      [[0], [1]],
    ],
    [[MOST_EVENTS, 0], [[0, 1]]],
    [
      [2 * MOST_EVENTS, 1, 1],
      [[0], [1, 2]],
    ],
    [
      [3000, 2000, 1, 4999, 1],
      [[0, 1], [2, 3], [4]],
    ],
  ])('of %j events: %j', (events, runs) => {
    expect(keysOf(runsByEvents(rowsOf(...events), null))).toEqual(runs)
  })

  it.each<[sizes: (readonly [number, number])[], runs: number[][]]>([
    [
      [
        [0, MOST_CHARACTERS],
        [1, 0],
      ],
      [[0, 1, 2]],
    ],
    [
      [
        [0, MOST_CHARACTERS - 1],
        [1, 1],
      ],
      [[0, 1, 2]],
    ],
    [
      [
        [0, MOST_CHARACTERS],
        [1, 1],
      ],
      [[0], [1, 2]],
    ],
    [
      [
        [0, MOST_CHARACTERS / 2],
        [0, MOST_CHARACTERS / 2],
        [1, 1],
      ],
      [[0], [1, 2]],
    ],
    [
      [
        [0, 2 * MOST_CHARACTERS],
        [2, 1],
      ],
      [[0], [1, 2]],
    ],
    [
      [
        [1, MOST_CHARACTERS],
        [2, MOST_CHARACTERS],
      ],
      [[0, 1], [2]],
    ],
  ])('with %j characters of long values: %j', (sizes, runs) => {
    expect(keysOf(runsByEvents(rowsOf(1, 1, 1), eventsOf(...sizes)))).toEqual(runs)
  })
})
