/** A supervisor keeps one process running, and never two. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import type { Runtime } from '../../worker/local/host/runtime.ts'
import { Supervisor } from '../../worker/local/host/supervisor.ts'
import { until } from './until.ts'

const troubles: string[] = []
let starts = 0
let running = 0
let most = 0

async function startProcess(): Promise<Runtime> {
  starts++
  most = Math.max(most, ++running)
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
  const ended = once(child, 'exit').then(([code, signal]) => {
    running--
    return String(signal ?? code)
  })
  await once(child, 'spawn')
  return {
    pid: child.pid!,
    ended,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const supervisor = new Supervisor({
  name: 'process',
  start: startProcess,
  onTrouble: (sentence) => troubles.push(sentence),
  stopMs: 0,
})
afterEach(() => supervisor.stop())

it('that is opened again while its process still ends waits for the end', async () => {
  await supervisor.start()
  const first = supervisor.pid
  supervisor.close()
  supervisor.open()
  expect(supervisor.pid).toBeNull()
  expect(await supervisor.whenReady(null)).toBe(true)
  await until(() => expect([null, first]).not.toContain(supervisor.pid))
  supervisor.replace()
  await until(() => expect(starts).toBe(3))
  await until(() => expect(supervisor.pid).not.toBeNull())
  expect([most, running, troubles]).toEqual([1, 1, []])
})

it('replaces a process that is just starting, and waits until it has ended', async () => {
  const started: Runtime[] = []
  const slow = new Supervisor({
    name: 'process',
    async start(signal) {
      const runtime = await startProcess()
      started.push(runtime)
      if (started.length > 1) return runtime
      signal.addEventListener('abort', () => process.kill(runtime.pid, 'SIGKILL'))
      await runtime.ended
      throw new Error('It ended.')
    },
    onTrouble: (sentence) => troubles.push(sentence),
    stopMs: 0,
  })
  onTestFinished(() => slow.stop())
  const before = running
  slow.open()
  await until(() => expect(started).toHaveLength(1))
  await slow.replaceAnyway()
  await until(() => expect(slow.pid).toBe(started[1]!.pid))
  expect([running - before, troubles]).toEqual([1, []])
})
