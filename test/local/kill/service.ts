/** `npm start` as a process that is killed with all that it has started, and started anew on the same folder. */

import { spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { treeOf } from '../processes.ts'

const ROOT = join(import.meta.dirname, '../../..')

/**
 * A port that stays this service's own while it is down: none of those that the system hands out, or
 * another test's service might take it, and be sent what is meant for this one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const probe = createServer()
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!free) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}

export interface Running {
  readonly pid: number
  /** Settles once it answers; fails where it ends before. */
  readonly ready: Promise<void>
  /** SIGKILL to the launcher and its runtime; or a signal to the launcher. Settles when all of them have ended. */
  readonly end: (signal: 'SIGKILL' | 'SIGINT') => Promise<void>
}

export function start(port: number, data: string): Running {
  const words = ['worker/local/launch.mjs', 'worker/local/start.ts', '--empty']
  const child: ChildProcess = spawn('node', [...words, '--port', String(port), '--data', data], {
    cwd: ROOT,
    // Retention waits for the history, which takes late reports of a day up to an hour later.
    env: { ...process.env, HISTORY_MODE: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const ready = new Promise<void>((resolve, reject) => {
    const take = (piece: Buffer): void => {
      output += piece.toString()
      if (output.includes('listening on http')) resolve()
    }
    child.stdout!.on('data', take)
    child.stderr!.on('data', take)
    void ended.then(() => reject(new Error(`The service ended: ${output}`)))
  })
  ready.catch(() => undefined)
  const end = async (signal: 'SIGKILL' | 'SIGINT'): Promise<void> => {
    const all = signal === 'SIGKILL' ? treeOf(child.pid!) : [child.pid!]
    for (const pid of all) process.kill(pid, signal)
    await ended
  }
  return { pid: child.pid!, ready, end }
}
