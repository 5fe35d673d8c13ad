/** Which request gets which reader, and what happens to those that take long. */

import { beforeEach, expect, it, vi, afterEach } from 'vitest'
import type { Lease } from '../../worker/local/host/lease.ts'
import { ReaderPool } from '../../worker/local/host/reader-pool.ts'
import type { Supervisor } from '../../worker/local/host/supervisor.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A reader whose process starts and is replaced within 100 ms. */
class FakeReader {
  pid: number | null = null
  isOpen = false
  isReplaced = false
  isStopping = false
  replaced = 0
  onChange = (): void => undefined

  open(): void {
    this.isOpen = true
    this.#startLater()
  }

  close(): void {
    this.isOpen = false
    this.pid = null
  }

  replace(): void {
    this.replaced++
    this.isReplaced = true
    this.pid = null
    this.#startLater()
  }

  #startLater(): void {
    setTimeout(() => {
      this.isReplaced = false
      this.pid = 1
      this.onChange()
    }, 100)
  }
}

let lives = true
async function poolOf(count: number) {
  const readers = Array.from({ length: count }, () => new FakeReader())
  const pool = new ReaderPool({
    readers: readers as unknown as Supervisor[],
    alive: () => (lives ? Promise.resolve() : new Promise(() => undefined)),
    patienceMs: 10_000,
  })
  for (const reader of readers) reader.onChange = () => pool.dispatch()
  pool.open()
  await vi.advanceTimersByTimeAsync(100)
  return { pool, readers: readers as [FakeReader, FakeReader] }
}

const request = (line: string, until: number | null = null, cut: () => void = () => undefined) => ({
  line,
  until,
  cut,
})
const given = (result: Lease | string): Lease => {
  if (typeof result === 'string') throw new Error(`No lease: ${result}`)
  return result
}

beforeEach(() => void (lives = true))

it('a reader has one request at a time, in the order of their arrival', async () => {
  const { pool } = await poolOf(1)
  const first = given(await pool.lease(request('a')))
  const order: string[] = []
  const others = ['b', 'c'].map(async (line) => {
    const lease = given(await pool.lease(request(line)))
    order.push(line)
    lease.release()
  })
  await vi.advanceTimersByTimeAsync(10)
  expect(order).toEqual([])
  first.release()
  await Promise.all(others)
  expect(order).toEqual(['b', 'c'])
})

it('a read waits for a reader that died, and is not given to the process that writes', async () => {
  const { pool, readers } = await poolOf(1)
  readers[0].pid = null
  pool.dispatch()
  const until = performance.now() + 2000
  const results = [pool.lease(request('a')), pool.lease(request('b', until))]
  await vi.advanceTimersByTimeAsync(2000)
  expect(await results[1]).toBe('busy')
  readers[0].pid = 2
  pool.dispatch()
  given(await results[0]!).release()
})

it('without a reader, the process that writes answers', async () => {
  const { pool } = await poolOf(0)
  expect(await pool.lease(request('a'))).toBe('none')
})

it('a second reader starts for a request that waits, and rests after a minute', async () => {
  const { pool, readers } = await poolOf(2)
  expect(readers[1].isOpen).toBe(false)
  const long = given(await pool.lease(request('long')))
  const short = pool.lease(request('short'))
  await vi.advanceTimersByTimeAsync(200)
  const lease = given(await short)
  expect([long.reader, lease.reader]).toEqual([0, 1])
  lease.release()
  await pool.tryIdle()
  expect(readers[1].isOpen).toBe(true)
  await vi.advanceTimersByTimeAsync(61_000)
  await pool.tryIdle()
  expect(readers.map(({ isOpen }) => isOpen)).toEqual([true, false])
})

it('of readers that long requests have, the youngest of these is asked again later', async () => {
  const { pool, readers } = await poolOf(2)
  const old = given(await pool.lease(request('old')))
  const young = pool.lease(request('young'))
  await vi.advanceTimersByTimeAsync(300)
  const second = given(await young)
  await vi.advanceTimersByTimeAsync(300)
  const small = pool.lease(request('small'))
  await vi.advanceTimersByTimeAsync(400)
  expect([old.ending, second.ending]).toEqual([null, 'for others'])
  second.release()
  expect(given(await small).reader).toBe(1)
  expect(readers.map(({ replaced }) => replaced)).toEqual([0, 1])
})

it('requests that took long leave a reader to others', async () => {
  const { pool } = await poolOf(2)
  const first = given(await pool.lease(request('long')))
  await vi.advanceTimersByTimeAsync(300)
  first.release()
  const again = given(await pool.lease(request('long')))
  const another = pool.lease(request('long'))
  const small = pool.lease(request('small'))
  // The second reader starts with the long request.
  await vi.advanceTimersByTimeAsync(150)
  const lease = given(await small)
  expect([again.reader, lease.reader]).toEqual([0, 1])
  lease.release()
  again.release()
  expect(given(await another).reader).toBe(0)
})

it('a request that takes longer than its time ends its reader; one that waits as long is refused', async () => {
  const { pool, readers } = await poolOf(1)
  const lease = given(await pool.lease(request('long', performance.now() + 1000)))
  const waiting = pool.lease(request('b', performance.now() + 900))
  await vi.advanceTimersByTimeAsync(901)
  expect(await waiting).toBe('busy')
  expect(lease.ending).toBeNull()
  await vi.advanceTimersByTimeAsync(400)
  expect([lease.ending, readers[0].replaced]).toEqual(['deadline', 1])
})

it('a client that takes nothing leaves its reader to others, for 16 MB in all', async () => {
  const { pool } = await poolOf(1)
  const MB = 1024 * 1024
  const first = given(await pool.lease(request('a')))
  first.park(10 * MB)
  const second = pool.lease(request('b'))
  await vi.advanceTimersByTimeAsync(110)
  const parked = given(await second)
  parked.park(10 * MB)
  const third = pool.lease(request('c'))
  let isGiven = false
  void third.then(() => (isGiven = true))
  await vi.advanceTimersByTimeAsync(110)
  expect(isGiven).toBe(false)
  first.release()
  parked.release()
  given(await third)
})

it('a client that takes nothing for 5 s is cut where another waits for its reader, also for the same long answer', async () => {
  const { pool } = await poolOf(2)
  const cut: string[] = []
  const asked = (name: string, line: string) =>
    pool.lease(request(line, null, () => void cut.push(name)))
  const first = given(await asked('first', 'long'))
  await vi.advanceTimersByTimeAsync(300)
  first.release()
  const idle = given(await asked('idle', 'long'))
  idle.park(40 * 1024 * 1024)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(cut).toEqual([])
  const next = asked('next', 'long')
  await vi.advanceTimersByTimeAsync(200)
  expect(cut).toContain('idle')
  idle.abandon()
  await vi.advanceTimersByTimeAsync(100)
  given(await next)
})

it('a client that leaves frees its reader, which is replaced if it computes on', async () => {
  const { pool, readers } = await poolOf(1)
  given(await pool.lease(request('a'))).abandon()
  await vi.advanceTimersByTimeAsync(10)
  expect(readers[0].replaced).toBe(0)
  lives = false
  given(await pool.lease(request('b'))).abandon()
  await vi.advanceTimersByTimeAsync(1200)
  expect(readers[0].replaced).toBe(1)
  given(await pool.lease(request('c')))
})

it('a reader without work that does not answer is replaced', async () => {
  const { pool, readers } = await poolOf(1)
  lives = false
  const tried = pool.tryIdle()
  await vi.advanceTimersByTimeAsync(5100)
  await tried
  expect(readers[0].replaced).toBe(1)
})

it('work is done while no reader is at work, or not at all', async () => {
  const { pool } = await poolOf(1)
  const lease = given(await pool.lease(request('a')))
  const done: string[] = []
  const work = () => Promise.resolve(done.push('done'))
  const late = pool.whenQuiet(50, work)
  await vi.advanceTimersByTimeAsync(60)
  expect([await late, done]).toEqual([false, []])
  const quiet = pool.whenQuiet(500, work)
  const next = pool.lease(request('b'))
  lease.release()
  await vi.advanceTimersByTimeAsync(20)
  expect([await quiet, done]).toEqual([true, ['done']])
  given(await next)
})
