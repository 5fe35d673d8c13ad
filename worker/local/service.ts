/** The self-hosted service: the Worker's bundle in workerd, with a local D1. */

import type { Server as TlsServer } from 'node:https'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { HOUSEKEEPING_CRON } from '../housekeeping/cron.ts'
import type { CheckAnswer } from '../integrity/check.ts'
import { CF_HEADER, PROTOCOL_HEADER, socketPath, type SocketName } from './host/configuration.ts'
import { CurrentTokens, figuresOperation, problemOperation } from './announcements.ts'
import { localSettings } from './local-settings.ts'
import { databaseTrouble } from './database-trouble.ts'
import type { TlsFiles } from './host/certificate-files.ts'
import { makeReaders } from './host/readers.ts'
import { createRelay } from './host/relay.ts'
import type { Runtimes } from './host/runtimes.ts'
import { LauncherSockets } from './host/launcher-sockets.ts'
import {
  makeRunFolder,
  prepareDataFolder,
  removeRunFolder,
  writeRunFolder,
} from './host/run-folder.ts'
import { startRuntime } from './host/runtime.ts'
import { createTlsPort } from './host/tls-port.ts'
import { Supervisor } from './host/supervisor.ts'
import { askAdmin, askUnix, type UnixRequest, type UnixResponse } from './host/unix-request.ts'
import { watchFolder, type StorageProblem } from './health.ts'
import { LateAnswers } from './late-answers.ts'
import { HOLD_MS, rescuer } from './lost-files.ts'
import { lookAtLog } from './lost-log.ts'
import { noteEnd } from './backup/log-note.ts'
import { readMigrations } from './migrations.ts'
import { StartError } from './command-line.ts'
import { listen, urlOf } from './listen.ts'
import { listenSentence } from './preconditions.ts'
import { prepareDatabase } from './prepare-database.ts'
import { ProblemReporter } from './problem-reporter.ts'
import { watchRuntimes } from './runtime-watches.ts'
import { READER_SOCKETS, runFolderFiles } from './run-folder-files.ts'
import { TIMINGS, type Timings } from './timings.ts'
import type { ProbeStatement } from './workers/probe.ts'
import type { SampleRemoval } from './workers/sample.ts'

/** The address that the service listens on. */
export interface Address {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Files for HTTPS, which is then the only protocol; null for HTTP. */
  readonly tls?: TlsFiles | null
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

export interface Service {
  readonly url: string
  /** Listens on one more address until the service stops. @returns its URL */
  readonly listenOn: (address: Address) => Promise<string>
  /** Sends a request as the launcher's TLS port does, which describes the connection in `cf`. */
  readonly askOverTls: (request: UnixRequest, cf: object) => Promise<UnixResponse>
  /** Runs statements on its database, in one transaction. */
  readonly probe: (statements: readonly ProbeStatement[]) => Promise<D1Result[]>
  /** Does the work of a deployed Worker's cron trigger. */
  readonly tick: (cron?: string, at?: Date) => Promise<void>
  /** A page of the integrity check. */
  readonly pageOfCheck: (after: string) => Promise<CheckAnswer>
  /** Removes the sample fleet where other nodes have reported, or always. */
  readonly removeSample: (always: boolean) => Promise<SampleRemoval>
  /** Gives access by these lines of the setting TOKENS from now on. */
  readonly setTokens: (text: string) => Promise<void>
  /** Process id of the runtime; null while it restarts. */
  readonly runtimePid: () => number | null
  /** Stops after the requests under way. Reports that were answered 200 are in the database; other senders retry. */
  readonly stop: () => Promise<void>
}

/** One is kept running; the second starts while long queries have the first. */
const MOST_READERS = 2
/** How long the process that writes has to stop after its readers, at least, in ms. */
const SHORTEST_STOP_MS = 1000

/** Starts the service with all migrations applied. @throws StartError if the runtime or the port is not available */
export async function startService(options: ServiceOptions): Promise<Service> {
  const runFolder = await makeRunFolder()
  try {
    return await startIn(runFolder, options)
  } catch (error) {
    removeRunFolder(runFolder)
    throw error
  }
}

async function startIn(runFolder: string, options: ServiceOptions): Promise<Service> {
  const { root, probed = false, anySchema = false, readers: mostReaders = MOST_READERS } = options
  const onLine = options.onLine ?? console.error
  const onTrouble = options.onTrouble ?? onLine
  const onChange = options.onChange ?? onLine
  const timings = { ...TIMINGS, ...options.timings }
  const sockets: readonly SocketName[] = [
    'plain',
    'tls',
    'admin',
    ...(probed ? ['probe' as const] : []),
  ]
  const settings = localSettings(options.settings)
  const dataFolder = options.data ?? join(runFolder, 'data')
  const files = await runFolderFiles(runFolder, dataFolder, sockets, settings, {
    ...options,
    readers: mostReaders,
  })
  await prepareDataFolder(dataFolder, runFolder)
  await lookAtLog(dataFolder, onTrouble)
  const migrations = (await readMigrations(join(root, 'migrations'))).map(({ name }) => name)
  const launcherSockets = new LauncherSockets(runFolder, dataFolder, settings)
  await launcherSockets.open()

  const ask = (name: SocketName, request: UnixRequest): Promise<UnixResponse> =>
    askUnix(socketPath(runFolder, name), request)
  const administer = (path: string, body?: string): Promise<string> =>
    askAdmin(socketPath(runFolder, 'admin'), path, body)
  const problems = new ProblemReporter<StorageProblem>(
    async (problem) => void (await administer(problemOperation(problem))),
  )
  const reportFigures = async (): Promise<void> => {
    const operation = await figuresOperation(dataFolder)
    await Promise.all([administer(operation), readers.administer(operation)])
  }
  const tokens = new CurrentTokens()
  // Readers of earlier files would share the index of their log with the runtime.
  let readersEnded: Promise<unknown> = Promise.resolve()
  const supervisor = new Supervisor({
    name: 'runtime',
    async start(signal) {
      await readersEnded
      writeRunFolder(runFolder, files)
      await launcherSockets.open()
      const lines: string[] = []
      let isPrepared = false
      const runtime = await startRuntime({
        root,
        runFolder,
        sockets,
        environment: settings,
        signal,
        onLine(line) {
          if (!isPrepared) lines.push(line)
          onLine(line)
        },
      })
      try {
        await prepareDatabase({
          root,
          data: options.data,
          migrations,
          anySchema,
          administer,
          onPrepared: () => (isPrepared = true),
          onChange,
        })
        const told = [tokens.sendTo(administer), problems.reportToNewRuntime(), reportFigures()]
        await Promise.race([Promise.all(told), runtime.ended])
      } catch (error) {
        await runtime.stop(0)
        const trouble = databaseTrouble(lines, dataFolder)
        throw trouble === null ? error : new Error(trouble)
      }
      return runtime
    },
    onTrouble,
    stopMs: timings.stopMs,
  })
  const readers = makeReaders({
    count: mostReaders,
    runFolder,
    writer: supervisor,
    async start(reader, signal) {
      writeRunFolder(runFolder, files)
      const own = { reader, sockets: READER_SOCKETS, environment: settings }
      return startRuntime({ root, runFolder, ...own, signal, onLine })
    },
    async prepare(ask) {
      await ask(await figuresOperation(dataFolder))
      await tokens.sendTo(ask)
    },
    onTrouble,
    stopMs: timings.stopMs,
    patienceMs: timings.readerMs,
  })
  await supervisor.start().catch((error: Error) => {
    launcherSockets.close()
    throw new StartError(`The service can't be started. ${error.message}`, 5)
  })
  readers.pool.open()
  const late = new LateAnswers(timings.lateMs, onTrouble)
  const unwatchRuntimes = watchRuntimes({
    late,
    runFolder,
    dataFolder,
    supervisor,
    sockets,
    readers,
    administer,
    timings,
    onTrouble,
  })
  const figures = setInterval(
    () => void reportFigures().catch(() => undefined),
    timings.figuresMs,
  ).unref()
  const ports: (Server | TlsServer)[] = []
  /** What a port sends its requests to. */
  const runtimes = (name: SocketName): Runtimes => ({
    writer: socketPath(runFolder, name),
    supervisor,
    readerSocket: (reader) => socketPath(runFolder, name, reader),
    readers: readers.pool,
    late,
    timeouts: {
      QUERY_TIMEOUT: Number(settings['QUERY_TIMEOUT'] ?? 0),
      MAX_QUERY_TIMEOUT: Number(settings['MAX_QUERY_TIMEOUT'] ?? 0),
    },
  })
  const listenOn = async ({ host, port, tls = null }: Address): Promise<string> => {
    const shared = { timings, onTrouble }
    const portServer = tls
      ? createTlsPort({ ...shared, files: tls, runtimes: runtimes('tls'), onReload: onChange })
      : createRelay({ ...shared, runtimes: runtimes('plain') })
    ports.push(portServer)
    return urlOf(tls ? 'https' : 'http', await listen(portServer, host, port))
  }
  const stopRuntimes = async (): Promise<void> => {
    const until = performance.now() + timings.stopMs
    unwatchRuntimes()
    await Promise.all(readers.supervisors.map((one) => one.stop()))
    await supervisor.stop(Math.max(SHORTEST_STOP_MS, until - performance.now()))
    await noteEnd(dataFolder)
  }
  const url = await listenOn(options).catch(async (error: Error) => {
    clearInterval(figures)
    await stopRuntimes()
    launcherSockets.close()
    throw new StartError(listenSentence(error, options.host, options.port), 3)
  })
  const lookAfterFiles = rescuer({
    data: dataFolder,
    pid: () => supervisor.pid,
    holdWrites: () => administer(`/hold?milliseconds=${HOLD_MS}`),
    startAgain() {
      readersEnded = readers.pool.replaceAll()
      supervisor.replace()
    },
    onRescue: onTrouble,
    onWritten: () => prepareDataFolder(dataFolder, runFolder),
  })
  const unwatchFolder = watchFolder(dataFolder, timings.folderMs, lookAfterFiles, (problem) => {
    if (problem === null) onChange('Reports are stored again.')
    else onTrouble(problem.sentence)
    void problems.report(problem)
  })
  return {
    url,
    listenOn,
    askOverTls: (request, cf) =>
      ask('tls', {
        ...request,
        headers: {
          ...request.headers,
          [CF_HEADER]: JSON.stringify(cf),
          [PROTOCOL_HEADER]: 'https',
        },
      }),
    async probe(statements) {
      const request = { method: 'POST', path: '/', body: JSON.stringify(statements) }
      const { status, body } = await ask('probe', request)
      if (status !== 200) throw new Error(`${status} ${body.toString()}`)
      return JSON.parse(body.toString()) as D1Result[]
    },
    async tick(cron = HOUSEKEEPING_CRON, at = new Date()) {
      if (!(await supervisor.whenReady(null))) return
      await administer(`/tick?${new URLSearchParams({ cron, at: String(at.getTime()) })}`)
    },
    async pageOfCheck(after) {
      await supervisor.whenReady(null)
      const page = await administer(`/check?${new URLSearchParams({ after })}`)
      return JSON.parse(page) as CheckAnswer
    },
    async removeSample(always) {
      await supervisor.whenReady(null)
      const removal = await administer(
        `/remove-sample?${new URLSearchParams({ always: String(always) })}`,
      )
      return JSON.parse(removal) as SampleRemoval
    },
    async setTokens(text) {
      tokens.set(text)
      const told = readers.administer('/tokens', text)
      if (await supervisor.whenReady(null)) await tokens.sendTo(administer)
      await told
    },
    runtimePid: () => supervisor.pid,
    async stop() {
      problems.stop()
      clearInterval(figures)
      await unwatchFolder()
      for (const port of ports) {
        port.close()
        if ('closeIdleConnections' in port) port.closeIdleConnections()
      }
      await stopRuntimes()
      launcherSockets.close()
      removeRunFolder(runFolder)
    },
  }
}
