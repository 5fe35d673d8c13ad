import { isLoopback } from './address.js'
import { openCatcher, type CatcherOptions } from './catcher.js'
import type { Child } from './child.js'
import { HELP, parseCommandLine, type Settings } from './command-line.js'
import { ListenError, reasonOf, UsageError } from './errors.js'
import type { Page } from './journal.js'
import { recordLine } from './record.js'
import type { CapturedRequest } from './request.js'
import { matches } from './rules.js'
import { formatBlock, formatFallback, formatLine, SCREEN_LIMIT } from './show/block.js'
import { colour, plain } from './show/paint.js'
import { standardOutput, type Chunk, type Sink } from './sink.js'
import { formatDuration } from './values.js'
import { packageVersion } from './version.js'

/** The exit codes: a contract with scripts. */
const EXIT = {
  stopped: 0,
  failed: 1,
  usage: 2,
  listen: 3,
  timeout: 4,
  signature: 5,
  interrupted: 130,
}

const tell = (text: string) => void process.stderr.write(`${text}\n`)
const say = (text: string) => tell(`local-catcher: ${text}`)

/** Does what the command line asks for; settles with the exit code. Never rejects. */
export async function runCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const line = parseCommandLine(args, environment)
    const text = await textFor(line.settings)
    if (text === null) return await run(line)
    process.stdout.write(text)
    return EXIT.stopped
  } catch (thrown) {
    say(reasonOf(thrown))
    if (thrown instanceof ListenError) return EXIT.listen
    if (!(thrown instanceof UsageError)) return EXIT.failed
    tell('  all options:       local-catcher --help')
    return EXIT.usage
  }
}

/** What --help, --version and --completion print, or null where a catcher is asked for. */
async function textFor({ help, version, completion }: Settings): Promise<string | null> {
  if (help) return HELP
  if (completion) return (await import('./completion.js')).completionScript(completion)
  return version ? `${packageVersion()}\n` : null
}

/** One run of the command, from the start of the catcher to the exit code. */
async function run({ settings, command }: ReturnType<typeof parseCommandLine>): Promise<number> {
  const { count, filter, timeout, ui } = settings
  let counted = 0
  let unverified = 0
  let timedOut = false
  let child: Child | null = null
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  const isEnough = () => counted >= (count ?? 0)

  const see = (request: CapturedRequest) => {
    if (!request.complete || request.unrecorded !== null) return
    if (filter && !matches(filter, request)) return
    counted++
    if (request.signature && request.signature.state !== 'verified') unverified++
    if (count !== undefined && isEnough() && !child?.running) stop()
  }
  const timeUp = (limit: number) => {
    if (count !== undefined && isEnough() && child?.running) return
    timedOut = count !== undefined || child?.running === true
    if (!isEnough()) say(`${counted} of ${count} requests came within ${formatDuration(limit)}`)
    stop()
  }

  const { startChild } = command.length > 0 ? await import('./child.js') : {}
  const sink = standardOutput((error) => {
    // A reader like `head` that has seen enough is no failure.
    if (error.code !== 'EPIPE') say(`cannot print: ${error.message}`)
    stop()
  })
  const complain = (reason: string) => say(`cannot write: ${reason}`)
  const catcher = await openCatcher(catcherOptions(settings), screenPage(settings, sink), complain)
  const { startPage } = ui === undefined ? {} : await import('./page/server.js')
  const page = await startPage?.(catcher, settings)
  catcher.subscribe(see)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  process.once('SIGINT', () => process.on('SIGINT', () => process.exit(EXIT.interrupted)))
  if (!isLoopback(settings.host)) {
    const risk = 'others on the network can send here, and see the answers'
    say(`warning: on ${settings.host} ${risk}`)
  }
  if (page) tell(`local-catcher page on ${page.url}`)
  if (process.stderr.isTTY) tell(`try:  curl -d '{"hello":"world"}' ${catcher.url}`)
  tell(`local-catcher listening on ${catcher.url}`)
  child =
    startChild?.(command, catcher.url, (code) => {
      if (isEnough() || timeout === undefined || code !== 0) stop()
    }) ?? null
  if (timeout !== undefined) setTimeout(timeUp, timeout, timeout).unref()
  await stopped
  page?.close()
  await child?.end()
  const written = await catcher.close()
  if (child?.code && !timedOut) return child.code
  if (!written) return EXIT.failed
  if (timedOut || (child && !isEnough())) return EXIT.timeout
  return count !== undefined && unverified > 0 ? EXIT.signature : EXIT.stopped
}

/** The options of the library that the settings stand for. */
function catcherOptions({ header, rule, rules = [], ...rest }: Settings): CatcherOptions {
  // Nothing but the page looks back.
  const keep = rest.ui === undefined ? { keep: 0 } : {}
  return { ...rest, headers: header, rules: [...rule, ...rules], ...keep }
}

/** Standard output as the settings want it. */
export function screenPage(settings: Settings, sink: Sink): Page {
  const { json, quiet, filter, color, info, pretty, maxBody, output } = settings
  const terminal = process.stdout.isTTY === true
  const coloured = color === 'auto' ? terminal && process.stdout.hasColors() : color === 'always'
  const limit = info ? SCREEN_LIMIT : Infinity
  const paint = coloured ? colour : plain
  const view = { terminal, info, pretty, maxBody, output, limit, paint }
  const format = (request: CapturedRequest): Chunk => {
    if (filter && !matches(filter, request)) return []
    try {
      if (json) return [recordLine(request), '\n']
      return quiet ? formatLine(request, view) : formatBlock(request, view)
    } catch (thrown) {
      // A fault of ours must not keep the request from being seen, nor its sender waiting.
      return formatFallback(request, reasonOf(thrown))
    }
  }
  return { sink, format }
}
