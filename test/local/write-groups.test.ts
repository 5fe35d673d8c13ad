/** Writes of requests that are under way at the same time happen together, and none waits for long. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { WriteGroups } from '../../worker/local/workers/write-groups.ts'

let groups: WriteGroups
let released: string[]
beforeEach(() => {
  groups = new WriteGroups()
  released = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => void vi.useRealTimers())

const write = (name: string): void => void groups.turn().then(() => released.push(name))
/** Until what is due has happened, but no timer. */
const moment = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

it('a write alone does not wait, nor sets a timer', async () => {
  const setTimer = vi.spyOn(globalThis, 'setTimeout')
  groups.begin()
  write('a')
  await moment()
  expect(released).toEqual(['a'])
  expect(setTimer).not.toHaveBeenCalled()
})

it('a write of no request does not wait', async () => {
  write('housekeeping')
  await moment()
  expect(released).toEqual(['housekeeping'])
})

it('writes wait for each other', async () => {
  groups.begin()
  groups.begin()
  write('a')
  await moment()
  expect(released).toEqual([])
  write('b')
  await moment()
  expect(released).toEqual(['a', 'b'])
  write('c')
  await moment()
  expect(released).toEqual(['a', 'b'])
  write('d')
  await moment()
  expect(released).toEqual(['a', 'b', 'c', 'd'])
  expect(vi.getTimerCount()).toBe(0)
})

it('a write waits no longer for a request that has ended', async () => {
  groups.begin()
  groups.begin()
  write('a')
  groups.end()
  await moment()
  expect(released).toEqual(['a'])
})

it('a write waits a millisecond for a request that takes long', async () => {
  groups.begin()
  groups.begin()
  write('a')
  await moment()
  expect(released).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(released).toEqual(['a'])
  write('b')
  await vi.advanceTimersByTimeAsync(1)
  expect(released).toEqual(['a', 'b'])
})
