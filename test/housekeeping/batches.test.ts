/** The batches in which expired reports are deleted, and what becomes of those that are too much work for D1. */

import { expect, it } from 'vitest'
import { inBatches, MOST_DELETED_EVENTS, MOST_REPORTS } from '../../worker/housekeeping/batches.ts'
import type { ExpiredReport } from '../../worker/housekeeping/expired-report.ts'
import { Unavailable } from '../../worker/lib/errors.ts'

const TOO_MUCH = new Unavailable('too slow', 'too much work')

const reports = (count: number, events = 0): ExpiredReport[] =>
  Array.from({ length: count }, (_, key) => ({ key, events }))

/** Deletes reports where a batch fails as told. @returns the sizes of the batches tried, and what was passed over */
async function deleted(
  expired: readonly ExpiredReport[],
  fails: (batch: readonly ExpiredReport[]) => Error | null = () => null,
  mayContinue: (tried: number) => boolean = () => true,
) {
  const sizes: number[] = []
  const gone: number[] = []
  const passed: number[] = []
  const lasts: boolean[] = []
  const isDone = await inBatches(expired, {
    work(batch, isLast) {
      sizes.push(batch.length)
      lasts.push(isLast)
      if (sizes.length > 100) throw new Error('It never ends.')
      const error = fails(batch)
      if (error !== null) return Promise.reject(error)
      gone.push(...batch.map(({ key }) => key))
      return Promise.resolve()
    },
    passOver: ({ key }) => Promise.resolve(passed.push(key)),
    mayContinue: () => mayContinue(sizes.length),
  })
  return { isDone, sizes, gone, passed, lasts }
}

it.each([
  [[MOST_REPORTS - 1, 0], [MOST_REPORTS - 1]],
  [[MOST_REPORTS, 0], [MOST_REPORTS]],
  [
    [MOST_REPORTS + 1, 0],
    [MOST_REPORTS, 1],
  ],
  [[2, MOST_DELETED_EVENTS / 2], [2]],
  [
    [3, MOST_DELETED_EVENTS / 2],
    [2, 1],
  ],
  [
    [2, MOST_DELETED_EVENTS / 2 + 1],
    [1, 1],
  ],
  [
    [2, 2 * MOST_DELETED_EVENTS],
    [1, 1],
  ],
  [[0, 0], []],
] as const)('%j: so many reports, each of so many events: %j', async ([count, events], sizes) => {
  const found = await deleted(reports(count, events))
  expect(found.sizes).toEqual(sizes)
  expect(found.lasts).toEqual(sizes.map((_, index) => index === sizes.length - 1))
})

it('a batch that is too much work is halved, and no later one is as large as one that failed', async () => {
  const found = await deleted(reports(8), (batch) =>
    batch.length > 1 && batch.some(({ key }) => key === 2) ? TOO_MUCH : null,
  )
  expect(found).toMatchObject({ isDone: true, sizes: [8, 4, 2, 2, 1, 1, 1, 1, 1, 1], passed: [] })
  expect(found.gone).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})

it('a report that is too much work alone is passed over', async () => {
  const found = await deleted(reports(3), (batch) =>
    batch.some(({ key }) => key === 1) ? TOO_MUCH : null,
  )
  expect([found.gone, found.passed, found.isDone]).toEqual([[0, 2], [1], true])
})

it('another failure ends it', async () => {
  await expect(deleted(reports(2), () => new Unavailable('full', 'full'))).rejects.toThrow('full')
})

it('it stops where it may not continue', async () => {
  const found = await deleted(reports(3, MOST_DELETED_EVENTS), undefined, (tried) => tried < 2)
  expect([found.isDone, found.gone]).toEqual([false, [0, 1]])
})
