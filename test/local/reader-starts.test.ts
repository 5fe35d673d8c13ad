/** Readers start once the writer is ready: SQLite repairs the log for the first process that opens the database. */

import { expect, it } from 'vitest'
import { makeReaders } from '../../worker/local/host/readers.ts'
import type { Runtime } from '../../worker/local/host/runtime.ts'
import type { Supervisor } from '../../worker/local/host/supervisor.ts'

/** Starts a reader beside a writer that is as told. @returns which readers were started, and why one was not */
function startedBeside(
  whenReady: () => Promise<boolean>,
  runtime = (): Promise<Runtime> => Promise.reject(new Error('No more is needed.')),
) {
  const started: number[] = []
  const { supervisors } = makeReaders({
    count: 1,
    runFolder: '/nowhere',
    writer: { whenReady } as unknown as Supervisor,
    start(reader) {
      started.push(reader)
      return runtime()
    },
    prepare: () => Promise.resolve(),
    onTrouble: () => undefined,
    stopMs: 0,
    patienceMs: 0,
  })
  const begun = supervisors[0]!.start().catch((error: Error) => error.message)
  return { started, begun }
}

it('a reader waits for the writer', async () => {
  let ready = (_: boolean): void => undefined
  const { started, begun } = startedBeside(
    () =>
      new Promise((resolve) => {
        ready = resolve
      }),
  )
  await Promise.resolve()
  expect(started).toEqual([])
  ready(true)
  expect(await begun).toBe('No more is needed.')
  expect(started).toEqual([0])
})

it('no reader starts while the service is stopping', async () => {
  const { started, begun } = startedBeside(() => Promise.resolve(false))
  expect(await begun).toBe('The service is stopping.')
  expect(started).toEqual([])
})

it('a reader that cannot be told what it needs to know is ended', async () => {
  const stopped: number[] = []
  const runtime = {
    ended: new Promise(() => undefined),
    stop: (ms: number) => Promise.resolve(void stopped.push(ms)),
  } as unknown as Runtime
  const { begun } = startedBeside(
    () => Promise.resolve(true),
    () => Promise.resolve(runtime),
  )
  // Nothing listens in the folder.
  expect(await begun).toContain('ENOENT')
  expect(stopped).toEqual([0])
})
