/** Starts and stops the readers: processes of workerd that answer what only reads, beside the one that writes. */

import { ReaderPool } from './reader-pool.ts'
import { socketPath } from './configuration.ts'
import type { Runtime } from './runtime.ts'
import { Supervisor } from './supervisor.ts'
import { askAdmin, type AdminRequest } from './unix-request.ts'

/** A reader starts within a second; one that takes longer hangs. */
const LONGEST_START_MS = 30_000

export interface ReadersOptions {
  /** Most readers at the same time; 0 leaves all requests to the process that writes. */
  readonly count: number
  readonly runFolder: string
  /** Of the process that writes. */
  readonly writer: Supervisor
  /** Starts the process of a reader. */
  readonly start: (reader: number, signal: AbortSignal) => Promise<Runtime>
  /** Tells a reader that starts what it needs to know; the last step before it is given requests. */
  readonly prepare: (ask: AdminRequest) => Promise<void>
  /** Called with a sentence for each death, and for each failed restart. */
  readonly onTrouble: (sentence: string) => void
  readonly stopMs: number
  /** How long a request without a timeout waits for a reader, in ms. */
  readonly patienceMs: number
}

export interface ReaderProcesses {
  readonly pool: ReaderPool
  /** By number. */
  readonly supervisors: readonly Supervisor[]
  /** Carries out an operation in each reader that runs; one that fails is ended, and starts again with what it needs to know. */
  readonly administer: (path: string, text?: string) => Promise<void>
}

export function makeReaders(options: ReadersOptions): ReaderProcesses {
  const { count, runFolder, writer, onTrouble, stopMs, patienceMs } = options
  const ask = (reader: number, path: string, text?: string): Promise<string> =>
    askAdmin(socketPath(runFolder, 'admin', reader), path, text)
  const start = async (reader: number, signal: AbortSignal): Promise<Runtime> => {
    // SQLite repairs the log for the first process that opens the database, and refuses others meanwhile.
    if (!(await writer.whenReady(null))) throw new Error('The service is stopping.')
    const runtime = await options.start(reader, signal)
    try {
      const died = runtime.ended.then((how) => Promise.reject(new Error(`It ended (${how}).`)))
      const prepared = (async () => {
        await ask(reader, '/warm')
        await options.prepare((path, text) => ask(reader, path, text))
      })()
      await Promise.race([prepared, died])
      return runtime
    } catch (error) {
      await runtime.stop(0)
      throw error
    }
  }
  const supervisors = Array.from(
    { length: count },
    (_, reader) =>
      new Supervisor({
        name: 'reader',
        start: (signal) => start(reader, signal),
        longestStartMs: LONGEST_START_MS,
        onTrouble,
        stopMs,
        onChange: () => pool.dispatch(),
      }),
  )
  const pool = new ReaderPool({
    readers: supervisors,
    alive: (reader) => ask(reader, '/alive'),
    patienceMs,
  })
  return {
    pool,
    supervisors,
    async administer(path, text) {
      const running = [...supervisors.keys()].filter((reader) => supervisors[reader]!.pid !== null)
      await Promise.all(
        running.map((reader) =>
          ask(reader, path, text).catch(() => supervisors[reader]!.replace()),
        ),
      )
    },
  }
}
