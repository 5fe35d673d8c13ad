/** `npm start`: runs the whole service on this machine. */

import { fileURLToPath } from 'node:url'
import { constants } from 'node:os'
import { dirname, resolve } from 'node:path'
import {
  keptConsoleKey,
  accessOf,
  accessSentences,
  localHooksOf,
  type Access,
} from './start-access.ts'
import { StartError } from './command-line.ts'
import { HELP, readStartOptions, type StartOptions } from './options.ts'
import { readTlsFiles } from './host/certificate-files.ts'
import { Output, writeLinesTo } from './output.ts'
import { folderSentence, requireFreePort, takeFolder, requireNothingLeft } from './preconditions.ts'
import { loadSample, removeWithFirstReport } from './sample.ts'
import { startService, type Service } from './service.ts'
import { TIMINGS } from './timings.ts'
import { readTokensFile, watchTokensFile } from './tokens-file.ts'
import { readNote } from './backup/log-note.ts'
import { keepTime } from './triggers.ts'
import { keepWatchdog } from './watchdog.ts'
import { checkWeekly } from './weekly-check.ts'
import { rulesOf } from '../access/rules.ts'
import { Misconfigured, readSettings } from '../schema/settings.ts'

/** The root of the project; this program's bundle is dist/programs/NAME. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')

const output = new Output(writeLinesTo(process.stdout), process.stdout.isTTY)
// A terminal or a pipe that is gone must not end the service.
process.stderr.on('error', () => undefined)

async function start(options: StartOptions): Promise<void> {
  const began = performance.now()
  keepWatchdog(process.env, (sentence) => output.say('error', sentence))
  await requireFreePort(options.host, options.port)
  const { tokens, tls } = options
  if (tokens !== null) process.env['TOKENS'] = readOrRefuse(() => readTokensFile(tokens))
  requireSettings()
  if (tls !== null) readOrRefuse(() => readTlsFiles(tls))
  const access = accessOf(options, process.env)
  // Before the service runs, a signal simply ends the process, which releases the folder.
  onSignals((signal) => process.exit(128 + constants.signals[signal]))
  await takeFolder(options.data)
  await requireNothingLeft(options.data)
  const lastSeen = (await readNote(options.data))?.noted
  const service = await startHere(options, access, await consoleKeyOf(options, access))
  if (tokens !== null)
    watchTokensFile(tokens, {
      everyMs: TIMINGS.tlsFilesMs,
      apply: service.setTokens,
      onChange: (sentence) => output.say('info', sentence),
      onTrouble: (sentence) => output.say('error', sentence),
    })
  const stopping = { begun: false }
  onSignals(() => void stop(service, stopping))
  // The launcher's own requests have no sender.
  output.requests = false
  // A service that needs credentials is meant for real reports.
  const mayShowSample = access === 'open' && !options.empty && tls === null
  // On a full disk the service starts, and the next start removes it.
  const { removed, left } = await service
    .removeSample(!mayShowSample)
    .catch(() => ({ removed: 0, left: 0 }))
  if (removed > 0) output.say('info', SAMPLE_REMOVED)
  const sample = mayShowSample && removed === 0 && (await isEmpty(service.url))
  if (sample)
    await loadSample(service.url, showProgress).catch((error: unknown) => {
      if (!stopping.begun) throw error
    })
  if (stopping.begun) return
  if (sample || left > 0)
    removeWithFirstReport(service.removeSample, () => output.say('info', SAMPLE_REMOVED))
  checkWeekly({
    data: options.data,
    pageAfter: service.pageOfCheck,
    onProblem: (sentence) => output.say('error', sentence),
    onWell: (sentence) => output.say('info', sentence),
  })
  keepTime(service.tick, (sentence) => output.say('error', sentence), lastSeen)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  announce(service.url, options, access, seconds, sample)
  if (process.env['CLIENT_CERTIFICATES'] && !tls?.clientCa)
    output.say('warn', 'CLIENT_CERTIFICATES has no effect without --client-ca.')
  output.requests = true
}

const startHere = (options: StartOptions, access: Access, consoleKey: string): Promise<Service> =>
  startService({
    root,
    ...options,
    settings: {
      LOG_REQUESTS: process.env['LOG_REQUESTS'] || 'on',
      ACCESS: access,
      LOCAL_HOOKS: localHooksOf(options, process.env),
      CONSOLE_KEY: consoleKey,
      ...(options.tls?.clientCa ? {} : NO_CLIENT_CERTIFICATES),
    },
    trusting: access === 'open' && !process.env['ACCESS'],
    onLine: (line) => output.pass(line),
    onTrouble: (sentence) => output.say('error', sentence),
    onChange: (sentence) => output.say('info', sentence),
  })

/** CONSOLE_KEY, or the key in the data folder; none for an open service, which has no sign-in. @throws StartError (4) */
async function consoleKeyOf({ data }: StartOptions, access: Access): Promise<string> {
  try {
    return process.env['CONSOLE_KEY'] || (access === 'open' ? '' : await keptConsoleKey(data))
  } catch (error) {
    throw new StartError(folderSentence((error as NodeJS.ErrnoException).code ?? '', data), 4)
  }
}

/** Without a client CA nothing verifies client certificates. */
const NO_CLIENT_CERTIFICATES = { CLIENT_CERTIFICATES: '' } as const

const SAMPLE_REMOVED = 'The sample fleet was removed: this service is for real nodes now.'

/** Whether a service has no report; not one that can't say so, as its database is damaged. */
async function isEmpty(url: string): Promise<boolean> {
  const response = await fetch(`${url}/query/v4/reports?limit=1&query=["extract","hash"]`)
  if (!response.ok) return false
  const rows = await response.json<unknown[]>()
  return rows.length === 0
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(`\rloading the sample fleet: ${done} of ${total} reports`)
  if (done === total) process.stderr.write('\r\x1b[K')
}

/** Reads the settings as the service will, so that mistakes show before anything starts. */
function requireSettings(): void {
  try {
    rulesOf(readSettings(process.env), () =>
      Promise.reject(new Error('The launcher fetches no keys.')),
    )
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    throw new StartError(error.message, 2)
  }
}

/** Reads the file of an option. @throws StartError (2) */
function readOrRefuse<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new StartError((error as Error).message, 2)
  }
}

/** Prints the address; on a terminal also what to try first. */
function announce(
  url: string,
  options: StartOptions,
  access: Access,
  seconds: string,
  sample: boolean,
): void {
  const facts = `report query service listening on ${url} (after ${seconds} s)
${accessSentences(options, process.env)}
The database is in ${options.data}${sample ? ', with a sample fleet of 12 nodes' : ''}.`
  if (process.stdout.isTTY) console.log(`${facts} Ctrl+C stops.\n${examples(url)}`)
  else output.say('info', facts, { url, access, data: options.data })
}

const examples = (url: string): string => `
In a browser:
  ${url}/console
Last failures:
  curl -G ${url}/query/v4 --data-urlencode 'query=reports[certname, end_time] { status = "failed" order by end_time desc limit 5 }'
State of the fleet:
  curl -G ${url}/query/v4/event-counts -d summarize_by=certname --data-urlencode 'query=["=","latest_report?",true]'
All nodes:
  curl '${url}/query/v4/nodes?pretty=true'`

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Replaces the current signal handlers. */
function onSignals(handle: (signal: Signal) => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal)
    process.on(signal, handle)
  }
}

/** Until the launcher ends without what hangs; the runtime ends with it. The requests under way have 9 s at most. */
const LONGEST_STOP_MS = 9500

/** Stops after the requests under way; a second signal stops at once. */
async function stop(service: Service, stopping: { begun: boolean }): Promise<void> {
  stopping.begun = true
  setTimeout(() => {
    output.say(
      'error',
      `The service did not stop within ${LONGEST_STOP_MS / 1000} s, and is ended.`,
    )
    endAtOnce()
  }, LONGEST_STOP_MS).unref()
  onSignals(endAtOnce)
  await service.stop()
  output.say('info', 'stopped')
  process.exit(0)
}

/** `process.exit` waits for the file operations under way, which a disk that hangs never ends. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL')
}

try {
  const options = readStartOptions(process.argv.slice(2))
  if (options === null) console.log(HELP)
  else await start(options)
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
