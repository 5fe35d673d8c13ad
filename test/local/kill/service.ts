/** `npm start` as a process that is killed with all that it has started, and started anew on the same folder. */

import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

export interface Running {
  /** Settles once it answers; fails where it ends before. */
  readonly ready: Promise<void>
  /** SIGKILL to the whole group of processes, workerd included; or a signal to the first of them. */
  readonly end: (signal: 'SIGKILL' | 'SIGINT') => Promise<void>
}

export function start(port: number, data: string): Running {
  const words = ['worker/local/launch.mjs', 'worker/local/start.ts', '--empty']
  const child: ChildProcess = spawn(
    'node',
    [...words, '--port', String(port), '--data', data],
    // A group of its own.
    { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const ready = new Promise<void>((resolve, reject) => {
    const take = (piece: Buffer): void => {
      said += piece.toString()
      if (said.includes('listening on http')) resolve()
    }
    child.stdout!.on('data', take)
    child.stderr!.on('data', take)
    void ended.then(() => reject(new Error(`The service ended: ${said}`)))
  })
  ready.catch(() => undefined)
  const end = async (signal: 'SIGKILL' | 'SIGINT'): Promise<void> => {
    process.kill(signal === 'SIGKILL' ? -child.pid! : child.pid!, signal)
    await ended
  }
  return { ready, end }
}
