import { readFileSync } from 'node:fs'
import { isLoopback } from './address.js'
import { openCatcher, type Catcher, type CatcherOptions } from './catcher.js'
import type { Child } from './child.js'
import { HELP, parseCommandLine, type CommandLine, type Settings } from './command-line.js'
import { ListenError, reasonOf, UsageError } from './errors.js'
import type { CapturedRequest } from './request.js'
import { matches } from './rules.js'
import { screenPage } from './screen.js'
import { standardOutput } from './sink.js'
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
    if (text === null) return await new Run(line).result()
    process.stdout.write(text)
    return EXIT.stopped
  } catch (thrown) {
    say(reasonOf(thrown))
    const [code, hints] =
      thrown instanceof UsageError
        ? [EXIT.usage, ['all options:       local-catcher --help']]
        : thrown instanceof ListenError
          ? [EXIT.listen, thrown.hints]
          : [EXIT.failed, []]
    for (const hint of hints) tell(`  ${hint}`)
    return code
  }
}

/** What --help, --version and --completion print, or null where a catcher is asked for. */
async function textFor({ help, version, completion }: Settings): Promise<string | null> {
  if (help) return HELP
  if (completion) return (await import('./completion.js')).completionScript(completion)
  return version ? `${packageVersion()}\n` : null
}

/** One run of the command, from the start of the catcher to the exit code. */
class Run {
  private readonly settings: Settings
  private counted = 0
  private unverified = 0
  private timedOut = false
  private child: Child | null = null
  private stop: () => void = () => {}
  private readonly stopped = new Promise<void>((resolve) => (this.stop = resolve))

  constructor(private readonly line: CommandLine) {
    this.settings = line.settings
  }

  async result(): Promise<number> {
    const { settings, line } = this
    const { startChild } = line.command.length > 0 ? await import('./child.js') : {}
    const sink = standardOutput((error) => {
      // A reader like `head` that has seen enough is no failure.
      if (error.code !== 'EPIPE') say(`cannot print: ${error.message}`)
      this.stop()
    })
    const failed = (reason: string) => say(`cannot write: ${reason}`)
    const catcher = await openCatcher(catcherOptions(settings), screenPage(settings, sink), failed)
    const page = settings.ui === undefined ? null : await openPage(catcher, settings)
    catcher.subscribe((request) => request && this.see(request))
    this.listenToSignals()
    if (!isLoopback(settings.host)) {
      const risk = 'others on the network can send here, and see the answers'
      say(`warning: on ${settings.host} ${risk}`)
    }
    if (page) tell(`local-catcher page on ${page.url}`)
    if (process.stderr.isTTY) tell(`try:  curl -d '{"hello":"world"}' ${catcher.url}`)
    tell(`local-catcher listening on ${catcher.address}`)
    this.child = startChild?.(line.command, catcher.url, () => this.childEnded()) ?? null
    if (settings.timeout !== undefined) setTimeout(() => this.timeUp(), settings.timeout).unref()
    await this.stopped
    page?.close()
    await this.child?.end()
    const written = await catcher.close()
    if (!written && !catcher.failed) say('the output was not read to its end')
    return this.exitCode(written)
  }

  private get enough() {
    return this.counted >= (this.settings.count ?? 0)
  }

  private see(request: CapturedRequest) {
    const { count, filter } = this.settings
    if (!request.complete || request.unrecorded !== null) return
    if (filter && !matches(filter, request)) return
    this.counted++
    if (request.signature && request.signature.state !== 'verified') this.unverified++
    if (count !== undefined && this.enough && !this.child?.running) this.stop()
  }

  private childEnded() {
    if (this.enough || this.settings.timeout === undefined || this.child?.code) this.stop()
  }

  private timeUp() {
    const { count, timeout = 0 } = this.settings
    if (count !== undefined && this.enough && this.child?.running) return
    this.timedOut = count !== undefined || this.child?.running === true
    if (!this.enough) {
      say(`${this.counted} of ${count} requests came within ${formatDuration(timeout)}`)
    }
    this.stop()
  }

  private listenToSignals() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, this.stop)
    process.once('SIGINT', () => process.on('SIGINT', () => process.exit(EXIT.interrupted)))
  }

  private exitCode(written: boolean): number {
    const { child, timedOut } = this
    if (child && child.code !== 0 && !timedOut) return child.code
    if (!written) return EXIT.failed
    if (timedOut || (child && !this.enough)) return EXIT.timeout
    return this.settings.count !== undefined && this.unverified > 0 ? EXIT.signature : EXIT.stopped
  }
}

async function openPage(catcher: Catcher, settings: Settings) {
  const { startPage } = await import('./page/server.js')
  try {
    return await startPage(catcher, settings.ui!, settings.forward, settings.maxBody)
  } catch (thrown) {
    await catcher.close()
    throw thrown
  }
}

/** The options of the library that the settings stand for. */
function catcherOptions(settings: Settings): CatcherOptions {
  const { header, rule, rules = [], cert, key, ...rest } = settings
  return {
    ...rest,
    headers: header,
    rules: [...rule, ...rules],
    // Nothing but the page looks back.
    ...(settings.ui === undefined && { keep: 0 }),
    ...(cert && key && { tls: { cert: readPem(cert), key: readPem(key) } }),
  }
}

function readPem(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (thrown) {
    throw new UsageError(`the certificate or its key cannot be read: ${reasonOf(thrown)}`)
  }
}
