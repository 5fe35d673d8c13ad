/** Commands wait for each other where an isolate has no memory for all of them, and none waits for ever. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { whenThereIsRoom, whileReading } from '../../worker/http/in-flight.ts'

const MOST = 100

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Work that is started when there is room, and ends when it is told to. */
function workOf(bytes: number) {
  const state = { started: false, end: (): void => undefined }
  const done = whenThereIsRoom(bytes, MOST, () => {
    state.started = true
    return new Promise<void>((resolve) => (state.end = resolve))
  })
  return { state, done }
}

/** What work was refused with so far. */
function refusalOf({ done }: { readonly done: Promise<unknown> }) {
  const refusal = { text: '' }
  void done.catch((error: unknown) => (refusal.text = String(error)))
  return refusal
}

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it('handles commands at a time that are as large as one together, and others in turn', async () => {
  const [large, small, other] = [workOf(60), workOf(40), workOf(MOST)]
  await wait(100)
  expect([large, small, other].map(({ state }) => state.started)).toEqual([true, true, false])
  large.state.end()
  await wait(100)
  expect(other.state.started).toBe(false)
  small.state.end()
  await wait(100)
  expect(other.state.started).toBe(true)
  other.state.end()
  await Promise.all([large, small, other].map(({ done }) => done))
})

it('gives a large command its turn before small ones that came later', async () => {
  const first = workOf(60)
  const large = workOf(MOST)
  const later = workOf(10)
  await wait(100)
  expect([large.state.started, later.state.started]).toEqual([false, false])
  first.state.end()
  await wait(100)
  expect([large.state.started, later.state.started]).toEqual([true, false])
  large.state.end()
  await wait(100)
  later.state.end()
  await Promise.all([first, large, later].map(({ done }) => done))
})

it('refuses a command that has waited for ten seconds', async () => {
  const first = workOf(MOST)
  const refusal = refusalOf(workOf(MOST))
  await wait(9_999)
  expect(refusal.text).toBe('')
  await wait(1)
  expect(refusal.text).toContain('Too many large commands')
  first.state.end()
  await first.done
})

it('forgets a request that was cancelled, which never ends', async () => {
  const cancelled = workOf(MOST)
  await wait(61_000)
  expect(cancelled.state.started).toBe(true)
  const next = workOf(MOST)
  await wait(100)
  expect(next.state.started).toBe(true)
  next.state.end()
  await next.done
})

it('makes room again after work that failed', async () => {
  await expect(whenThereIsRoom(MOST, MOST, () => Promise.reject(new Error('no')))).rejects.toThrow(
    'no',
  )
  await expect(whenThereIsRoom(MOST, MOST, () => Promise.resolve(1))).resolves.toBe(1)
})

/** A body of which pieces arrive as it is told, until it is told to end. */
function bodyOf(...pieces: readonly number[]) {
  const state = { read: 0, end: (): void => undefined }
  const done = whileReading(MOST, async (grow) => {
    for (const bytes of pieces) {
      await grow(bytes)
      state.read += bytes
    }
    return new Promise<void>((resolve) => (state.end = resolve))
  })
  return { state, done }
}

it('keeps bodies of twice the largest command, and the oldest whole', async () => {
  const oldest = bodyOf(80, 20)
  const others = [bodyOf(60), bodyOf(60, 40), bodyOf(30)]
  await wait(100)
  expect([oldest, ...others].map(({ state }) => state.read)).toEqual([100, 60, 60, 0])
  oldest.state.end()
  await wait(100)
  expect(others.map(({ state }) => state.read)).toEqual([60, 100, 30])
  for (const { state } of others) state.end()
  await Promise.all([oldest, ...others].map(({ done }) => done))
})

it('refuses a body whose next piece has waited for ten seconds', async () => {
  const kept = [bodyOf(MOST), bodyOf(MOST)]
  const refusal = refusalOf(bodyOf(1))
  await wait(9_999)
  expect(refusal.text).toBe('')
  await wait(1)
  expect(refusal.text).toContain('Too many large commands')
  for (const { state } of kept) state.end()
  await Promise.all(kept.map(({ done }) => done))
})
