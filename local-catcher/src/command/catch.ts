// Catching: receives requests and shows them until it is stopped, or has what was asked for.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLoopback } from '../address.js'
import { openCatcher } from '../catcher.js'
import { missOf } from '../conditions.js'
import { UsageError } from '../errors.js'
import type { ExpectOptions } from '../expect/expectation.js'
import type { CatcherOptions } from '../options.js'
import type { CapturedRequest } from '../request.js'
import { standardOutput } from '../sink.js'
import { formatDuration } from '../values.js'
import { packageVersion } from '../version.js'
import { EXIT, exitCode, isEnough, type RunState } from './exit.js'
import { screenPage } from './screen.js'
import { CATCH_OPTIONS, type Settings } from './settings.js'
import { subcommand } from './subcommand.js'
import { SUBCOMMANDS, type Load } from './subcommands.js'

/** Milliseconds that delays may still pass when the command is stopped. */
const PATIENCE = 5000

const tell = (text: string) => void process.stderr.write(`${text}\n`)
const warn = (text: string) => tell(`local-catcher: ${text}`)

/** What local-catcher does without a subcommand. */
export const catching = subcommand({
  usage: `Usage: local-catcher [options] [-- command]
       local-catcher check | replay | send --help
Receives webhooks on this machine, shows them as they were sent, and answers them.
`,
  options: CATCH_OPTIONS,
  notes: `Each option is also read from the environment: LOCAL_CATCHER_MAX_BODY=1MiB
  local-catcher -p 0 -n 1 -t 10s -o hook.jsonl -- npm test
Exit: 0 stopped or count reached, 1 failed, 2 wrong use, 3 cannot listen, 4 timeout,
5 a signature failed, 6 --expect differs, 130 second Ctrl+C; with a command, its own code if not 0.
`,
  async run({ settings, command }) {
    const text = await textFor(settings)
    if (typeof settings.ui === 'string') return showRecord(settings.ui, settings)
    if (text === null) return catchRequests(check(settings), command)
    process.stdout.write(text)
    return EXIT.stopped
  },
})

/** What --version and --completion print, or null where a catcher is asked for. */
async function textFor({ version, completion }: Settings): Promise<string | null> {
  if (completion) {
    const { completionScript } = await import('./completion.js')
    const load = async ([word, load]: [string, Load]) => {
      return { word, options: (await load()).options }
    }
    const others = await Promise.all(Object.entries(SUBCOMMANDS).map(load))
    return completionScript(completion, [{ word: null, options: catching.options }, ...others])
  }
  return version ? `${packageVersion()}\n` : null
}

/** Refuses settings that contradict each other. */
function check(settings: Settings): Settings {
  if (settings.json && settings.quiet) {
    throw new UsageError('--json and --quiet are two forms of one output')
  }
  if (settings.https && settings.cert) {
    throw new UsageError('--https makes a certificate and --cert has one: choose one of them')
  }
  const { expect, mask, inOrder, update } = settings
  if (expect === undefined && (mask.length > 0 || inOrder || update)) {
    throw new UsageError('--mask, --in-order and --update belong to --expect')
  }
  if (!settings.cert !== !settings.key) throw new UsageError('--cert and --key belong together')
  if (!settings.answer && settings.body) {
    throw new UsageError('--no-answer and --body contradict each other')
  }
  return settings
}

/** One run, from the start of the catcher to the exit code. */
async function catchRequests(settings: Settings, command: readonly string[]): Promise<number> {
  const { filter, timeout, ui } = settings
  const { openExpectation } = settings.expect ? await import('../expect/expectation.js') : {}
  const expectation = await openExpectation?.(expectOptions(settings))
  const state: RunState = {
    count: settings.count ?? expectation?.count ?? null,
    counted: 0,
    unverified: 0,
    timedOut: false,
    command: null,
    asExpected: true,
    written: true,
  }
  let stop: (signal?: NodeJS.Signals) => void = () => {}
  const stopped = new Promise<NodeJS.Signals | undefined>((resolve) => (stop = resolve))

  const see = (request: CapturedRequest) => {
    if (!request.complete || request.unrecorded !== null) return
    if (filter && missOf(filter, request)) return
    state.counted++
    expectation?.see(request)
    if (request.signature && request.signature.state !== 'verified') state.unverified++
    if (state.count !== null && isEnough(state) && !state.command?.running) stop()
  }
  const timeUp = (limit: number) => {
    const { count, counted, command } = state
    if (count !== null && isEnough(state) && command?.running) return
    state.timedOut = count !== null || command?.running === true
    if (!isEnough(state))
      warn(`${counted} of ${count} requests came within ${formatDuration(limit)}`)
    stop()
  }

  const { startChild } = command.length > 0 ? await import('./child.js') : {}
  const sink = standardOutput((error) => {
    // A reader like `head` that has seen enough is no failure.
    if (error.code !== 'EPIPE') warn(`cannot print: ${error.message}`)
    stop()
  })
  const complain = (reason: string) => warn(`cannot write: ${reason}`)
  const surroundings = {
    screen: screenPage(settings, sink),
    onFailure: complain,
    patience: PATIENCE,
  }
  const catcher = await openCatcher(catcherOptions(settings), surroundings)
  const { startLivePage } = ui === undefined ? {} : await import('../page/server.js')
  const page = await startLivePage?.(catcher, { ...settings, port: Number(ui) })
  catcher.subscribe(see)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  process.once('SIGINT', () => process.on('SIGINT', () => process.exit(EXIT.interrupted)))
  if (!isLoopback(settings.host)) {
    const risk = 'others on the network can send here, and see the answers'
    warn(`warning: on ${settings.host} ${risk}`)
  }
  const trusted = catcher.certificate === null ? null : shareCertificate(catcher.certificate)
  if (trusted) tell(`local-catcher certificate for senders to trust: ${trusted}`)
  if (page) tell(`local-catcher page on ${page.url}`)
  if (process.stderr.isTTY) tell(`try:  curl -d '{"hello":"world"}' ${catcher.url}`)
  tell(`local-catcher listening on ${catcher.url}`)
  const child = startChild?.(command, variablesFor(catcher.url, trusted), (code) => {
    if (isEnough(state) || timeout === undefined || code !== 0) stop()
  })
  state.command = child ?? null
  if (timeout !== undefined) setTimeout(timeUp, timeout, timeout).unref()
  const signal = await stopped
  page?.close()
  await child?.end(signal)
  state.written = await catcher.close()
  if (expectation) {
    const { text, isMet } = expectation.conclude()
    warn(text)
    state.asExpected = isMet
  }
  return exitCode(state)
}

/** What the command finds in its environment. */
function variablesFor(url: string, certificate: string | null): Readonly<Record<string, string>> {
  if (certificate === null) return { LOCAL_CATCHER_URL: url }
  // What Node reads besides its own certificates; a command of another kind has to be told.
  const extra = process.env.NODE_EXTRA_CA_CERTS ?? certificate
  return {
    LOCAL_CATCHER_URL: url,
    LOCAL_CATCHER_CA: certificate,
    NODE_EXTRA_CA_CERTS: extra,
  }
}

/** Writes the certificate where senders can read it until we end; gives the name of the file. */
function shareCertificate(certificate: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'local-catcher-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'certificate.pem')
  writeFileSync(file, certificate)
  return file
}

/** Serves the page of a record until it is stopped. */
async function showRecord(file: string, settings: Settings): Promise<number> {
  const { startRecordPage } = await import('../page/server.js')
  const page = await startRecordPage(file, settings, warn)
  tell(`local-catcher page of ${file} on ${page.url}`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve())
  })
  page.close()
  return EXIT.stopped
}

/** What the settings say of --expect. */
function expectOptions(settings: Settings): ExpectOptions {
  const { expect: file = '', mask: masks, inOrder = false, update = false } = settings
  return { file, masks, inOrder, update }
}

/** The options of the library that the settings stand for. */
function catcherOptions(settings: Settings): CatcherOptions {
  const { rule, rules = [], header, ui, body, delay, output, forward, cert, key } = settings
  const { port, host, answer, status, maxBody, secret, redact, https } = settings
  return {
    ...{ port, host, answer, status, body, delay, output, forward, cert, key, maxBody },
    ...{ secret, redact, https, headers: header, rules: [...rule, ...rules] },
    // Nothing but the page looks back.
    ...(ui === undefined && { keep: 0 }),
  }
}
