/** `npm start` as a process that is killed with all that it has started, and started again on the same folder. */

import { createServer } from 'node:net'
import { npmStart } from '../npm-start.ts'
import { treeOf } from '../processes.ts'

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
  readonly ready: Promise<unknown>
  readonly output: () => string
  /** SIGKILL to the launcher and its runtime; or a signal to the launcher. Settles when all of them have ended. */
  readonly end: (signal: 'SIGKILL' | 'SIGINT') => Promise<void>
}

const SETTINGS = {
  // As by default: old reports are deleted while reports arrive.
  ...{ REPORT_TTL: '14d', NODE_TTL: '7d', NODE_PURGE_TTL: '14d' },
  // Retention waits for the history, which takes late reports of a day up to an hour later.
  HISTORY_MODE: 'off',
}

/** @param environment settings */
export function start(
  port: number,
  data: string,
  environment: Readonly<Record<string, string>> = SETTINGS,
): Running {
  const words = ['--empty', '--port', String(port), '--data', data]
  const { pid, ready, ended, output } = npmStart(words, { environment })
  return {
    pid,
    ready,
    output,
    async end(signal) {
      for (const one of signal === 'SIGKILL' ? treeOf(pid) : [pid]) process.kill(one, signal)
      await ended
    },
  }
}
