/** The self-hosted service: the Worker's bundle in workerd, with a local D1. */

import { join } from 'node:path'
import { socketPath, type SocketName, CF_HEADER, PROTOCOL_HEADER } from './host/configuration.ts'
import { GatheredBodies } from './host/gathered-bodies.ts'
import type { Runtimes } from './host/runtimes.ts'
import { makeRunFolder, prepareDataFolder, removeRunFolder } from './host/run-folder.ts'
import { watchFolder } from './health.ts'
import { LateAnswers } from './late-answers.ts'
import { HOLD_MS, rescuer } from './lost-files.ts'
import { noteEnd } from './backup/log-note.ts'
import { StartError } from './command-line.ts'
import { Ports, type Address } from './ports.ts'
import { listenSentence } from './preconditions.ts'
import { watchRuntimes } from './runtime-watches.ts'
import { HOUSEKEEPING_CRON } from '../housekeeping/cron.ts'
import type { CheckAnswer } from '../integrity/check.ts'
import { askUnix, type UnixRequest, type UnixResponse } from './host/unix-request.ts'
import type { ProbeStatement } from './workers/probe.ts'
import type { SampleRemoval } from './workers/sample.ts'
import { listenersOf, makeProcesses, type Processes, type ServiceOptions } from './processes.ts'
import { longestReadBytes } from '../schema/query-length.ts'
import { SETTINGS } from '../schema/settings.ts'

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
  const { onChange, onTrouble, timings } = listenersOf(options)
  const dataFolder = options.data ?? join(runFolder, 'data')
  const settings = localSettings(options.settings)
  const processes = await makeProcesses(runFolder, dataFolder, settings, options)
  const { supervisor, readers, administer, startAgain, problems, launcherSockets } = processes
  await supervisor.start().catch((error: Error) => {
    launcherSockets.close()
    throw new StartError(`The service can't be started. ${error.message}`, 5)
  })
  readers.pool.open()
  const late = new LateAnswers(timings.lateMs, onTrouble)
  const unwatchRuntimes = watchRuntimes({ ...processes, dataFolder, late, timings, onTrouble })
  const ports = new Ports(runtimesOf(processes, late, settings), {
    ...{ timings, onTrouble, onReload: onChange },
  })
  const stopRuntimes = async (): Promise<void> => {
    const until = performance.now() + timings.stopMs
    unwatchRuntimes()
    await Promise.all(readers.supervisors.map((one) => one.stop()))
    await supervisor.stop(Math.max(SHORTEST_STOP_MS, until - performance.now()))
    await noteEnd(dataFolder)
    launcherSockets.close()
  }
  const url = await ports.listenOn(options).catch(async (error: Error) => {
    await stopRuntimes()
    throw new StartError(listenSentence(error, options.host, options.port), 3)
  })
  const lookAfterFiles = rescuer({
    data: dataFolder,
    pid: () => supervisor.pid,
    holdWrites: () => administer(`/hold?milliseconds=${HOLD_MS}`),
    startAgain,
    onRescue: onTrouble,
    onWritten: () => prepareDataFolder(dataFolder, runFolder),
  })
  const unwatchFolder = watchFolder(dataFolder, timings.folderMs, lookAfterFiles, (problem) => {
    if (problem === null) onChange('Reports are stored again.')
    else onTrouble(problem.sentence)
    void problems.report(problem)
  })
  return {
    ...operationsOf(processes),
    url,
    listenOn: (address) => ports.listenOn(address),
    runtimePid: () => supervisor.pid,
    async stop() {
      problems.stop()
      await unwatchFolder()
      ports.close()
      await stopRuntimes()
      removeRunFolder(runFolder)
    },
  }
}

/** What a port sends its requests to, by the sockets for them. */
function runtimesOf(
  { runFolder, supervisor, readers }: Processes,
  late: LateAnswers,
  settings: Readonly<Record<string, string>>,
) {
  const timeouts = {
    QUERY_TIMEOUT: Number(settings['QUERY_TIMEOUT'] ?? 0),
    MAX_QUERY_TIMEOUT: Number(settings['MAX_QUERY_TIMEOUT'] ?? 0),
  }
  const MAX_QUERY_LENGTH =
    Number(settings['MAX_QUERY_LENGTH']) || SETTINGS.MAX_QUERY_LENGTH.initially
  const bodies = new GatheredBodies(longestReadBytes({ MAX_QUERY_LENGTH }))
  return (name: SocketName): Runtimes => ({
    writer: socketPath(runFolder, name),
    supervisor,
    readerSocket: (reader) => socketPath(runFolder, name, reader),
    readers: readers.pool,
    late,
    timeouts,
    bodies,
  })
}

/** What a running service is asked to do over the sockets of its processes. */
function operationsOf({ runFolder, supervisor, readers, administer, tokens }: Processes) {
  const ask = (name: SocketName, request: UnixRequest): Promise<UnixResponse> =>
    askUnix(socketPath(runFolder, name), request)
  const whenReady = async <Answer>(
    path: string,
    words: Record<string, string>,
  ): Promise<Answer> => {
    await supervisor.whenReady(null)
    return JSON.parse(await administer(`${path}?${new URLSearchParams(words)}`)) as Answer
  }
  return {
    askOverTls(request: UnixRequest, cf: object) {
      const described = { [CF_HEADER]: JSON.stringify(cf), [PROTOCOL_HEADER]: 'https' }
      return ask('tls', { ...request, headers: { ...request.headers, ...described } })
    },
    async probe(statements: readonly ProbeStatement[]) {
      const request = { method: 'POST', path: '/', body: JSON.stringify(statements) }
      const { status, body } = await ask('probe', request)
      if (status !== 200) throw new Error(`${status} ${body.toString()}`)
      return JSON.parse(body.toString()) as D1Result[]
    },
    async tick(cron = HOUSEKEEPING_CRON, at = new Date()) {
      if (!(await supervisor.whenReady(null))) return
      await administer(`/tick?${new URLSearchParams({ cron, at: String(at.getTime()) })}`)
    },
    pageOfCheck: (after: string) => whenReady<CheckAnswer>('/check', { after }),
    removeSample: (always: boolean) =>
      whenReady<SampleRemoval>('/remove-sample', { always: String(always) }),
    async setTokens(text: string) {
      tokens.set(text)
      const told = readers.administer('/tokens', text)
      if (await supervisor.whenReady(null)) await tokens.sendTo(administer)
      await told
    },
  }
}

/** By default requests are not logged, since their lines would bury other messages on a terminal. */
const LOCAL_DEFAULTS = {
  LOG_REQUESTS: 'off',
  MAX_DATABASE_BYTES: '0',
  MAX_QUERIES: '0',
  QUERY_TIMEOUT: '60',
  // A machine of one's own gives the runtime more memory than the platform gives an isolate.
  MAX_COMMAND_BYTES: String(32 * 1024 * 1024),
} as const

/** The settings of the service in the environment. */
const settingsOf = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.keys(SETTINGS).flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** @param given settings by name, ahead of the environment's and of local defaults */
const localSettings = (given: Readonly<Record<string, string>>): Record<string, string> => ({
  ...LOCAL_DEFAULTS,
  ...settingsOf(process.env),
  ...given,
})
