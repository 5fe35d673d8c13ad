/** A supervisor keeps one process running, and never two. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
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
