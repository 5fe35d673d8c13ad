/** One process of workerd. */

import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { configurationFile, socketPath, type SocketName } from './configuration.ts'

export const CONFIGURATION_FILE = configurationFile(null)

export interface RuntimeOptions {
  /** Folder of the project, whose packages hold workerd. */
  readonly root: string
  readonly runFolder: string
  /** Number of the reader; by default it is the process that writes. */
  readonly reader?: number | null
  readonly sockets: readonly SocketName[]
  /** Settings of the service; the runtime inherits nothing else from this process's environment. */
  readonly environment: Readonly<Record<string, string>>
  /** Ends the process, for as long as it starts. */
  readonly signal?: AbortSignal
  /** Called with each line of its stdout and stderr. */
  readonly onLine: (line: string) => void
}

export interface Runtime {
  readonly pid: number
  /** Resolves when the process has ended: to its exit code, or the name of the signal that killed it. */
  readonly ended: Promise<string>
  /** Waits up to `patienceMs` for the requests under way, then kills the process. */
  readonly stop: (patienceMs: number) => Promise<void>
}

/** Starts workerd. Resolves once it listens on all sockets. @throws Error with its last lines if it ends before */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { root, runFolder, reader = null, sockets, environment, signal, onLine } = options
  signal?.throwIfAborted()
  for (const name of sockets) rmSync(socketPath(runFolder, name, reader), { force: true })
  const child = spawn(
    '/bin/sh',
    [
      join(root, 'worker/local/host/guard.sh'),
      String(reader === null ? 0 : READERS_NICENESS),
      ...[workerdBinary(root), 'serve', '--control-fd=3', configurationFile(reader), 'config'],
    ],
    // In its own process group, so that Ctrl-C on the terminal reaches the launcher only.
    { cwd: runFolder, env: environment, stdio: ['pipe', 'pipe', 'pipe', 'pipe'], detached: true },
  )
  signal?.addEventListener('abort', () => child.kill('SIGKILL'))
  const lastLines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      if (!STACK.test(line)) lastLines.push(line)
      if (lastLines.length > LAST_LINES) lastLines.shift()
      onLine(line)
    })
  const guard = child.stdin
  guard.on('error', () => undefined)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => {
      guard.end('\n')
      resolve(signal ?? `exit code ${code}`)
    })
  })
  const died = ended.then(async (how) => {
    await closed(child.stderr)
    throw new Error([`The runtime (workerd) ended (${how}).`, ...lastLines].join('\n'))
  })
  await Promise.race([listening(child.stdio[3] as Readable, sockets), died])
  died.catch(() => undefined)
  return {
    pid: child.pid!,
    ended,
    async stop(patienceMs) {
      child.kill('SIGTERM')
      const late = sleep(patienceMs, 'late', { ref: false })
      if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL')
      await ended
    },
  }
}

/** Where CPU is short, what stores reports gets three times what a reader gets (sched(7)): agents give up, people wait. */
const READERS_NICENESS = 5

const LAST_LINES = 20
/** Addresses, which mean nothing without workerd's symbols. */
const STACK = /^stack: /

/** The path of the executable, from the package's metadata. */
export function workerdBinary(root: string): string {
  const workerd = createRequire(join(root, 'package.json'))('workerd') as { default: string }
  return workerd.default
}

const closed = (stream: Readable | Writable): Promise<void> =>
  new Promise((resolve) => (stream.closed ? resolve() : stream.once('close', resolve)))

/** workerd writes a line of JSON for each listening socket, in any order. */
const listening = (control: Readable, sockets: readonly string[]): Promise<void> =>
  new Promise((resolve) => {
    const missing = new Set(sockets)
    createInterface({ input: control }).on('line', (line) => {
      missing.delete((JSON.parse(line) as { socket: string }).socket)
      if (missing.size === 0) resolve()
    })
  })
