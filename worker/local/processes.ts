/** The processes of workerd that a service runs: one that writes and its readers, with their sockets and files. */

import { join } from 'node:path'
import { socketPath, type SocketName } from './host/configuration.ts'
import { makeReaders } from './host/readers.ts'
import { LauncherSockets } from './host/launcher-sockets.ts'
import { prepareDataFolder, writeRunFolder } from './host/run-folder.ts'
import { startRuntime } from './host/runtime.ts'
import { Supervisor } from './host/supervisor.ts'
import { askAdmin, type AdminRequest } from './host/unix-request.ts'
import type { StorageProblem } from './health.ts'
import { lookAtLog, readLostLog } from './lost-log.ts'
import { readMigrations } from './migrations.ts'
import type { Address } from './ports.ts'
import { ProblemReporter } from './problem-reporter.ts'
import { READER_SOCKETS, runFolderFiles } from './run-folder-files.ts'
import { TIMINGS, type Timings } from './timings.ts'
import { startWriter } from './writer.ts'
import { statfs } from 'node:fs/promises'
import type { HostFigures } from '../http/monitoring/host-figures.ts'
import { lastBackupOf } from './backup/last-backup.ts'

/** The operation that reports a problem; null for none any more. */
function problemOperation(problem: StorageProblem | null): string {
  const { sentence = '', refuses = false } = problem ?? {}
  const words = new URLSearchParams({ sentence, refuses: String(refuses) })
  return problem === null ? '/well' : `/problem?${words}`
}

/** The operation that reports the figures of the machine. */
async function figuresOperation(dataFolder: string): Promise<string> {
  const json = JSON.stringify(await hostFiguresOf(dataFolder))
  return `/figures?${new URLSearchParams({ json })}`
}

/** Figures of the machine, which the runtime can't see. @param data folder of the database and the history */
async function hostFiguresOf(data: string): Promise<HostFigures> {
  const disk = await statfs(data).catch(() => null)
  return {
    lastBackup: await lastBackupOf(data),
    freeBytes: disk && disk.bavail * disk.bsize,
    lostLog: await readLostLog(data),
  }
}

/** The tokens that give access, where the launcher reads them from a file. */
class CurrentTokens {
  #text: string | null = null

  /** @param text of the setting TOKENS */
  set(text: string): void {
    this.#text = text
  }

  /** Until the process has the tokens of now, as they may change while it is told. */
  async sendTo(administer: AdminRequest): Promise<void> {
    for (let sent: string | null = null; sent !== this.#text;) {
      sent = this.#text
      if (sent !== null) await administer('/tokens', sent)
    }
  }
}

export interface ServiceOptions extends Address {
  /** Folder of the project. */
  readonly root: string
  /** Folder of the database; null for a temporary one that is removed when the service stops. */
  readonly data: string | null
  /** Settings by name; missing ones come from the environment. */
  readonly settings: Readonly<Record<string, string>>
  /** Whether everyone on this machine has access. Requests must then use a name of this machine. */
  readonly trusting?: boolean
  /** Whether a database is used that is not as the migrations make it: for the test that writes down what they make. */
  readonly anySchema?: boolean
  /** Whether `probe` is available. */
  readonly probed?: boolean
  /** Called with each line of the runtime; by default lines are written to stderr. */
  readonly onLine?: (line: string) => void
  /** Called with a sentence when the runtime has died, TLS files can't be used or no report can be stored. */
  readonly onTrouble?: (sentence: string) => void
  /** Called with a sentence after changed TLS files were read, and when reports can be stored again. */
  readonly onChange?: (sentence: string) => void
  /** Most processes that answer reads beside the one that writes; by default MOST_READERS. */
  readonly readers?: number
  /** Others than TIMINGS. */
  readonly timings?: Partial<Timings>
}

/** One is kept running; the second starts while long queries have the first. */
const MOST_READERS = 2

export function listenersOf(options: ServiceOptions) {
  const { onLine = console.error, onTrouble = onLine, onChange = onLine } = options
  return { onLine, onTrouble, onChange, timings: { ...TIMINGS, ...options.timings } }
}

/** What a start needs: the folders, a log without loss, and the launcher's own sockets. */
async function prepare(
  runFolder: string,
  dataFolder: string,
  settings: Readonly<Record<string, string>>,
  options: ServiceOptions & { readonly readers: number },
) {
  const sockets: readonly SocketName[] = [
    ...(['plain', 'tls', 'admin'] as const),
    ...(options.probed ? (['probe'] as const) : []),
  ]
  const files = await runFolderFiles(runFolder, dataFolder, sockets, settings, options)
  await prepareDataFolder(dataFolder, runFolder)
  await lookAtLog(dataFolder, listenersOf(options).onTrouble)
  const migrations = await readMigrations(join(options.root, 'migrations'))
  const launcherSockets = new LauncherSockets(runFolder, dataFolder, settings)
  await launcherSockets.open()
  return { sockets, files, migrations: migrations.map(({ name }) => name), launcherSockets }
}

/** What the launcher knows and the processes need: problems of the machine for the one that writes, tokens and figures for all. */
function announcementsOf(administer: AdminRequest, dataFolder: string) {
  const problems = new ProblemReporter<StorageProblem>(
    async (problem) => void (await administer(problemOperation(problem))),
  )
  const tokens = new CurrentTokens()
  return {
    problems,
    tokens,
    tellWriter: () => Promise.all([tokens.sendTo(administer), problems.reportToNewRuntime()]),
    tellReader: async (ask: AdminRequest): Promise<void> => {
      await ask(await figuresOperation(dataFolder))
      await tokens.sendTo(ask)
    },
  }
}

/** The processes of workerd, not yet started, and what the launcher tells them. */
export async function makeProcesses(
  runFolder: string,
  dataFolder: string,
  settings: Readonly<Record<string, string>>,
  options: ServiceOptions,
) {
  const { root, data, anySchema = false, readers: count = MOST_READERS } = options
  const { onLine, onTrouble, onChange, timings } = listenersOf(options)
  const prepared = await prepare(runFolder, dataFolder, settings, { ...options, readers: count })
  const { sockets, files, migrations, launcherSockets } = prepared
  const administer: AdminRequest = (path, body) =>
    askAdmin(socketPath(runFolder, 'admin'), path, body)
  const { problems, tokens, tellWriter, tellReader } = announcementsOf(administer, dataFolder)
  // Readers of earlier files would share the index of their log with the runtime.
  let readersEnded: Promise<unknown> = Promise.resolve()
  const shared = { root, runFolder, onLine }
  const supervisor = new Supervisor({
    name: 'runtime',
    async start(signal) {
      await readersEnded
      writeRunFolder(runFolder, files)
      await launcherSockets.open()
      const database = { data, dataFolder, migrations, anySchema, onChange }
      const tell = () => Promise.all([tellWriter(), reportFigures()])
      return startWriter({ ...shared, ...database, sockets, settings, administer, tell }, signal)
    },
    onTrouble,
    stopMs: timings.stopMs,
  })
  const readers = makeReaders({
    count,
    runFolder,
    writer: supervisor,
    async start(reader, signal) {
      writeRunFolder(runFolder, files)
      const own = { reader, sockets: READER_SOCKETS, environment: settings }
      return startRuntime({ ...shared, ...own, signal })
    },
    prepare: tellReader,
    onTrouble,
    stopMs: timings.stopMs,
    patienceMs: timings.readerMs,
  })
  const reportFigures = async (): Promise<void> => {
    const operation = await figuresOperation(dataFolder)
    await Promise.all([administer(operation), readers.administer(operation)])
  }
  const startAgain = (): void => {
    readersEnded = readers.pool.replaceAll()
    supervisor.replace()
  }
  return {
    ...{ runFolder, sockets, launcherSockets, supervisor, readers, startAgain },
    ...{ administer, problems, tokens, reportFigures },
  }
}

export type Processes = Awaited<ReturnType<typeof makeProcesses>>
