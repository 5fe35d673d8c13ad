// Catching: receives requests and shows them until it is stopped, or has what was asked for.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLoopback } from '../address.js'
import { openCatcher } from '../catcher.js'
import { missOf } from '../conditions.js'
import { attempt, refuse } from '../errors.js'
import type { Page } from '../journal.js'
import { checkTogether, READERS, type CatcherOptions } from '../options.js'
import { recordLine } from '../record.js'
import type { CapturedRequest } from '../request.js'
import { formatBlock, formatLine, SCREEN_LIMIT } from '../show/block.js'
import { paintFor } from '../show/paint.js'
import { standardOutput, type Sink } from '../sink.js'
import { formatDuration } from '../values.js'
import { EXIT, exitCode, isEnough, newRun } from './exit.js'
import type { Runtime } from './runtime.js'
import { CATCH_OPTIONS, type Settings } from './settings.js'
import { subcommand } from './subcommand.js'

/** What local-catcher does without a subcommand. */
export const catching = subcommand({
  usage: `Usage: local-catcher [options] [-- command]
       local-catcher check | replay | send   (each has --help)
Receives webhooks on this machine, shows them as sent, and answers them.`,
  options: CATCH_OPTIONS,
  headings: { status: 'Answer', output: 'Output', count: 'Run' },
  notes: `In a script: local-catcher -p 0 -n 1 -t 5s -o hook.jsonl -- npm test
Options are also variables: LOCAL_CATCHER_COUNT=1 is --count 1.
Exit: 0 done, 1 failed, 2 usage, 3 no port, 4 timeout, 5 signature, 6 differs`,
  async run({ settings, command }, runtime) {
    if (!settings.version) return catchRequests(checked(settings), command, runtime)
    runtime.print(packageVersion())
    return EXIT.stopped
  },
})

/** The version of this package, as its package.json has it. */
const packageVersion = (): string =>
  (createRequire(import.meta.url)('../../package.json') as { version: string }).version

/** Refuses settings that contradict each other. */
function checked(settings: Settings): Settings {
  const { json, quiet, expect, mask, update, count } = settings
  if (json && quiet) refuse('leave out --json or --quiet: the output has one form')
  if (!expect && (mask.length > 0 || update)) refuse('--mask and --update belong to --expect')
  if (!expect && count === 0) refuse('--count 0 expects no request, and takes --expect')
  checkTogether(catcherOptions(settings), true)
  return settings
}

const RISK = 'others on the network can send here, and see the answers'

/** One run, from the start of the catcher to the exit code. */
async function catchRequests(settings: Settings, words: readonly string[], runtime: Runtime) {
  const { process, clock, tell, warn, onStop } = runtime
  const { filter, timeout, expect, update } = settings
  const { openExpectation } = expect ? await import('../expect/expectation.js') : {}
  const asked = settings.count
  const expectation = await openExpectation?.(expect!, settings)
  const run = newRun(asked ?? expectation?.count ?? null)
  let stop: (signal?: NodeJS.Signals) => void = () => {}
  const stopped = new Promise<NodeJS.Signals | undefined>((resolve) => (stop = resolve))

  const see = (request: CapturedRequest) => {
    if (!request.complete || request.unrecorded !== null) return
    if (filter && missOf(filter, request)) return
    expectation?.see(request)
    if (request.signature && request.signature.state !== 'verified') run.unverified++
    // It was answered 413, and --expect says so.
    if (!request.truncated || expectation) run.counted++
    stopIfEnough()
  }
  let cancel = () => {}
  /** Stops once as many came as were asked for; where they are expected, if no other one comes. */
  const stopIfEnough = () => {
    if (run.count === null || !isEnough(run) || run.command?.running) return
    cancel()
    if (expectation && !update) cancel = clock.after(settings.settle, stop)
    else stop()
  }
  const timeUp = (limit: number) => {
    const { count, counted, command } = run
    const isOutlasted = command?.running === true
    if (count !== null && isEnough(run) && !isOutlasted) return
    run.timedOut = count !== null || isOutlasted
    const within = formatDuration(limit)
    if (!isEnough(run)) warn(`${counted} of ${count} requests came within ${within}`)
    else if (run.timedOut) warn(`'${words[0]}' was still running after ${within}`)
    stop()
  }

  const { startChild } = words.length > 0 ? await import('./child.js') : {}
  const sink = standardOutput(process.stdout.fd, (error) => {
    // A reader like `head` that has seen enough is no failure.
    if (error.code !== 'EPIPE') warn(`cannot print: ${error.message}`)
    stop()
  })
  const catcher = await openCatcher(catcherOptions(settings), {
    screen: screenPage(settings, sink, process),
    onFailure: warn,
    clock,
  })
  const hasDoors = (settings.ui ?? settings.control) !== undefined
  const { openDoors } = hasDoors ? await import('../page/server.js') : {}
  const doors = await openDoors?.(catcher, settings, process.env)
  catcher.subscribe(see)
  onStop(stop)
  process.once('SIGINT', () => process.on('SIGINT', () => process.exit(EXIT.interrupted)))
  if (!isLoopback(settings.host)) warn(`warning: on ${settings.host} ${RISK}`)
  const trusted = shareCertificate(catcher.certificate, process)
  if (trusted) tell(`local-catcher certificate for senders to trust: ${trusted.LOCAL_CATCHER_CA}`)
  doors?.lines.forEach(tell)
  if (process.stderr.isTTY) tell(`try:  curl -d '{"hello":"world"}' ${catcher.url}`)
  tell(`local-catcher listening on ${catcher.url}`)
  const variables = { LOCAL_CATCHER_URL: catcher.url, ...trusted, ...doors?.variables }
  const child = startChild?.(words, variables, runtime, (code) => {
    if (isEnough(run) || timeout === undefined || code !== 0) stop()
  })
  run.command = child ?? null
  if (run.count === 0) stopIfEnough()
  if (timeout !== undefined) clock.after(timeout, () => timeUp(timeout))
  const signal = await stopped
  doors?.close()
  await child?.end(signal)
  run.written = await catcher.close()
  // A person who records by hand ends that with Ctrl+C.
  const isByHand = signal === 'SIGINT' && !child && asked === undefined && timeout === undefined
  const failure =
    signal && !isByHand ? 'the run was interrupted' : exitCode(run) === 0 ? null : 'the run failed'
  const verdict = expectation?.conclude(failure)
  if (verdict) warn(verdict.text)
  return exitCode({ ...run, asExpected: verdict?.isMet ?? true })
}

/**
 * Writes the certificate of a catcher, where it has one, to a file that is there until we end; gives
 * the variables by which the command finds it.
 */
function shareCertificate(certificate: string | null, process: Runtime['process']) {
  if (certificate === null) return null
  const prefix = join(tmpdir(), 'local-catcher-')
  const folder = attempt('the certificate cannot be written for senders', () => mkdtempSync(prefix))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'certificate.pem')
  const { NODE_EXTRA_CA_CERTS: given } = process.env
  const theirs = given && attempt('NODE_EXTRA_CA_CERTS cannot be read', () => readFileSync(given))
  writeFileSync(file, `${certificate}${theirs ?? ''}`)
  // What Node reads besides its own certificates; a command of another kind has to be told.
  return { LOCAL_CATCHER_CA: file, NODE_EXTRA_CA_CERTS: file }
}

/** The page of the journal on which a person, or a pipe, reads what comes in. */
export function screenPage(settings: Settings, sink: Sink, process: Runtime['process']): Page {
  const { json, quiet, filter, info, pretty, maxBody, output } = settings
  const terminal = process.stdout.isTTY === true
  const limit = info ? SCREEN_LIMIT : Infinity
  const view = { terminal, info, pretty, maxBody, output, limit, paint: paintFor(process) }
  const format = (request: CapturedRequest) => {
    if (filter && missOf(filter, request)) return []
    try {
      if (json) return [recordLine(request), '\n']
      return quiet ? formatLine(request, view) : formatBlock(request, view)
    } catch {
      // A fault of ours must not keep the request from being seen, nor its sender waiting.
      return formatLine(request, view)
    }
  }
  return { sink, format }
}

/** The options of the library that the settings stand for: those of the same name, and three more. */
function catcherOptions(settings: Settings): CatcherOptions {
  const { rule, rules = [], header, ui, control } = settings
  const named = Object.entries(settings).filter(([key]) => Object.hasOwn(READERS, key))
  // Nothing but the page and the control API look back.
  const keep = (ui ?? control) === undefined ? 0 : undefined
  return { ...Object.fromEntries(named), headers: header, rules: [...rule, ...rules], keep }
}
