/** Looks after the processes of a running service, again and again: their sockets, whether they answer, and the database's log. */

import { existsSync } from 'node:fs'
import { databaseFile } from './backup/database-file.ts'
import { watchLogNote } from './backup/log-note.ts'
import { historySocket, socketPath, type SocketName } from './host/configuration.ts'
import type { ReaderProcesses } from './host/readers.ts'
import type { Supervisor } from './host/supervisor.ts'
import type { LateAnswers } from './late-answers.ts'
import { watchLog } from './log-bound.ts'
import { repeatedly } from './repeatedly.ts'
import { READER_SOCKETS } from './run-folder-files.ts'
import type { Timings } from './timings.ts'
import { setTimeout as sleep } from 'node:timers/promises'

export interface WatchOptions {
  readonly runFolder: string
  readonly dataFolder: string
  /** Of the process that writes. */
  readonly supervisor: Supervisor
  readonly sockets: readonly SocketName[]
  readonly readers: ReaderProcesses
  /** Carries out an operation in the process that writes. */
  readonly administer: (path: string) => Promise<unknown>
  /** Tells the processes the figures of the machine. */
  readonly reportFigures: () => Promise<void>
  readonly timings: Timings
  readonly late: LateAnswers
  readonly onTrouble: (sentence: string) => void
}

/** @returns a function that ends the watches */
export function watchRuntimes(options: WatchOptions): () => void {
  const { dataFolder, supervisor, readers, administer, timings, late, onTrouble } = options
  const sockets = setInterval(() => requireSockets(options), timings.socketsMs).unref()
  const figures = setInterval(
    () => void options.reportFigures().catch(() => undefined),
    timings.figuresMs,
  ).unref()
  const tries = setInterval(() => void readers.pool.tryIdle(), timings.heartbeatMs).unref()
  const unwatch = [
    watchHeartbeat({
      supervisor,
      alive: () => administer('/alive'),
      everyMs: timings.heartbeatMs,
      hungMs: timings.hungMs,
      late,
      onTrouble,
    }),
    watchLog({
      database: databaseFile(dataFolder),
      pool: readers.pool,
      renew: () => administer('/renew-log'),
      everyMs: timings.logMs,
    }),
    watchLogNote(dataFolder, timings.logMs),
  ]
  return () => {
    clearInterval(sockets)
    clearInterval(figures)
    clearInterval(tries)
    for (const end of unwatch) void end()
  }
}

/** Kills a process whose sockets are gone, to be started with new ones. */
function requireSockets({
  runFolder,
  supervisor,
  sockets,
  readers,
  onTrouble,
}: WatchOptions): void {
  const areThere = (names: readonly SocketName[], reader: number | null): boolean =>
    names.every((name) => existsSync(socketPath(runFolder, name, reader)))
  const isComplete = areThere(sockets, null) && existsSync(historySocket(runFolder))
  if (supervisor.pid !== null && !isComplete) {
    onTrouble(`The sockets of the runtime in ${runFolder} are gone: something cleans that folder.`)
    process.kill(supervisor.pid, 'SIGKILL')
  }
  for (const [reader, { pid }] of readers.supervisors.entries())
    if (pid !== null && !areThere(READER_SOCKETS, reader)) process.kill(pid, 'SIGKILL')
}

interface HeartbeatOptions {
  readonly supervisor: Supervisor
  /** Asks the runtime for an answer that needs nothing but a turn of its thread. */
  readonly alive: () => Promise<unknown>
  /** Between two questions, in ms. */
  readonly everyMs: number
  /** How long an answer may take, in ms. */
  readonly hungMs: number
  readonly late: LateAnswers
  /** Called with a sentence when the runtime is replaced. */
  readonly onTrouble: (sentence: string) => void
}

/** @returns a function that ends the watch */
function watchHeartbeat(options: HeartbeatOptions): () => Promise<void> {
  const { supervisor, alive, everyMs, hungMs, late, onTrouble } = options
  const isHung = async (pid: number, signal: AbortSignal): Promise<boolean> => {
    const begun = performance.now()
    const answered = alive().then(
      () => true,
      () => true,
    )
    if (await Promise.race([answered, sleep(hungMs, false, { ref: false })])) {
      if (supervisor.pid === pid && !signal.aborted) late.note(performance.now() - begun)
      return false
    }
    // Where the launcher itself stood still, the answer may have come.
    const stoodStill = performance.now() - begun > hungMs + everyMs
    return !stoodStill && supervisor.pid === pid && !signal.aborted
  }
  return repeatedly(everyMs, async (signal) => {
    const { pid } = supervisor
    if (pid === null || !(await isHung(pid, signal))) return
    onTrouble(
      `The runtime (workerd) has answered nothing for ${hungMs / 1000} s. The service replaces it.`,
    )
    supervisor.replace()
  })
}
