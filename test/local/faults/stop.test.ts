/** Nothing writes into the data folder once a stop has resolved. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { watchFolder } from '../../../worker/local/health.ts'
import type { Runtime } from '../../../worker/local/host/runtime.ts'
import { Supervisor } from '../../../worker/local/host/supervisor.ts'
import { until } from '../until.ts'

/** Between two looks, and of no other timer. */
const EVERY_MS = 987_654

it('the watch of the folder looks no more, not even once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stop-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const set = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => void vi.restoreAllMocks())
  const unwatch = watchFolder(
    folder,
    EVERY_MS,
    () => Promise.resolve(null),
    () => undefined,
  )
  // The runner has timers of its own.
  const looks = (): unknown[] =>
    set.mock.calls.flatMap(([, ms], call) =>
      ms === EVERY_MS ? [set.mock.results[call]!.value as unknown] : [],
    )
  await until(() => expect(looks()).toHaveLength(1))
  await unwatch()
  expect(looks()).toHaveLength(1)
  expect(cleared.mock.calls.flat()).toContain(looks()[0])
})

it('a runtime that is just starting has ended', async () => {
  const events: string[] = []
  let starts = (_: Runtime): void => undefined
  const runtimes: Promise<Runtime>[] = [
    Promise.resolve({ pid: 1, ended: Promise.resolve('SIGKILL'), stop: () => Promise.resolve() }),
    new Promise((resolve) => (starts = resolve)),
  ]
  const supervisor = new Supervisor({
    name: 'runtime',
    start() {
      events.push('start')
      return runtimes.shift()!
    },
    onTrouble: () => undefined,
    stopMs: 0,
  })
  await supervisor.start()
  await until(() => expect(events).toEqual(['start', 'start']))
  const stopped = supervisor.stop().then(() => events.push('stopped'))
  starts({
    pid: 2,
    ended: new Promise(() => undefined),
    stop: () => Promise.resolve(void events.push('ended')),
  })
  await stopped
  expect(events).toEqual(['start', 'start', 'ended', 'stopped'])
})
