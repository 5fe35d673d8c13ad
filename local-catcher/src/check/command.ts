// `local-catcher check`: a drill for senders of webhooks, with a table of what they do right.
import type { StdioOptions } from 'node:child_process'
import { openCatcher } from '../catcher.js'
import { startChild } from '../command/child.js'
import { EXIT } from '../command/exit.js'
import { LIST, option, readSwitch } from '../command/option-table.js'
import type { Runtime } from '../command/runtime.js'
import { subcommand } from '../command/subcommand.js'
import { refuse } from '../errors.js'
import { deliver, parseTarget } from '../forward.js'
import { paintFor } from '../show/paint.js'
import { readSecret } from '../signature.js'
import { oneOf, parseDuration, wholeNumber } from '../values.js'
import { drill, EXERCISES, type Run, type Subject } from './drill.js'
import { judge, type State, type Verdict } from './verdicts.js'

/** The exercises that may be left out: all but the first, which shows whether anything comes. */
const SKIPPABLE = EXERCISES.slice(1).map(({ name }) => name)
const MOST_REPLY = 64 * 1024
const WAIT = 10_000

/** Reads '10s', or '410=1m' for one exercise. */
function readWait(text: string) {
  const [, name, time] = /^(?:([^=]*)=)?(.*)$/s.exec(text)!
  const exercise = name === undefined ? null : oneOf(EXERCISES.map((each) => each.name))(name)
  return { exercise, time: parseDuration(time) }
}

const OPTIONS = {
  port: option('-p <n>', wholeNumber(0, 65535), 'port: 8080 for a URL, any for a command'),
  secret: option('<scheme:secret>', readSecret, 'check the signatures too', LIST),
  wait: option('-w <time>', readWait, 'wait for more: 10s, in one 410=1m', LIST),
  skip: option('<exercise>', oneOf(SKIPPABLE), 'leave one of the exercises out', LIST),
  strict: option('', readSwitch, 'count what is unclear as failed'),
}

export const check = subcommand({
  usage: `Usage: local-catcher check [options] -- command
       local-catcher check [options] <trigger URL>
Tests what a sender of webhooks does on failures, redirects and silence.`,
  options: OPTIONS,
  notes: `Exercises: ${SKIPPABLE.join(', ')}
The command sends one webhook to LOCAL_CATCHER_URL, and ends once it gave up.
A trigger URL gets {"url": …} by POST; its service sends there, or to the port.
Exit: 0 nothing failed, 4 no webhook came, 6 a check failed; 1 to 3 as always.`,
  mostOperands: 1,
  async run({ settings, operands: [trigger], command }, runtime) {
    const { process, clock, print, warn, onStop } = runtime
    const { port, secret, wait, skip, strict } = settings
    if ((trigger === undefined) === (command.length === 0)) {
      refuse("give either a URL to trigger a webhook, or '--' and a command")
    }
    const target = trigger === undefined ? null : parseTarget(trigger)
    const listening = { port: port ?? (target ? 8080 : 0), secret, keep: 0 }
    const catcher = await openCatcher(listening, { clock })
    // Commands have process groups of their own, which end when we exit.
    onStop(() => process.exit(EXIT.interrupted))
    const exercises = EXERCISES.filter(({ name }) => !skip.includes(name))
    const start = (url: string, { name, shows }: Run['exercise']) => {
      warn(`${name}: the receiver ${shows}`)
      return target ? pullTrigger(target, url, runtime) : runSender(command, url, runtime)
    }
    const waitIn = ({ name }: Run['exercise']) => {
      const waits = (exercise: string | null) => wait.filter((each) => each.exercise === exercise)
      return [...waits(null), ...waits(name)].at(-1)?.time ?? WAIT
    }
    const options = { catcher, clock, start, waitIn }
    const runs = await drill(exercises, options)
    await catcher.close()
    const verdicts = judge(runs)
    print(toTable(verdicts, runtime))
    if (runs[0].attempts.length === 0) {
      warn(target ? NOTHING_TRIGGERED : NOTHING_SENT)
      return EXIT.timeout
    }
    const { failed, unclear } = tally(verdicts)
    return failed + (strict ? unclear : 0) > 0 ? EXIT.differs : EXIT.stopped
  },
})

const NOTHING_SENT = 'the command sent nothing to the URL in LOCAL_CATCHER_URL'
const NOTHING_TRIGGERED = 'no webhook came: does the service send to the port of this catcher?'

/** The command is the sender; what it prints goes beside the result. */
function runSender(command: readonly string[], url: string, runtime: Runtime): Subject {
  const { fd } = runtime.process.stderr
  const stdio: StdioOptions = ['ignore', fd, fd]
  const child = startChild(command, { LOCAL_CATCHER_URL: url }, runtime, () => {}, stdio)
  return { state: () => (child.running ? 'running' : 'ended'), end: () => child.end() }
}

/** A service elsewhere is the sender: it may send at any time. */
function pullTrigger(trigger: URL, url: string, { warn }: Runtime): Subject {
  const abort = new AbortController()
  let state: ReturnType<Subject['state']> = 'running'
  const headers = [['Content-Type', 'application/json']] as const
  const message = { method: 'POST', headers, bytes: Buffer.from(JSON.stringify({ url })) }
  void deliver(message, trigger, MOST_REPLY, abort.signal).then(({ error, status }) => {
    if (abort.signal.aborted || (error === null && status < 300)) return
    warn(`the trigger failed: ${error ?? `it answered ${status}`}`)
    state = 'failed'
  })
  return { state: () => state, end: () => Promise.resolve(abort.abort()) }
}

/** How each state is shown. */
const SIGNS = {
  pass: ['✓', 'good'],
  fail: ['✗', 'bad'],
  unclear: ['?', 'bold'],
  none: ['–', 'dim'],
} as const

function tally(verdicts: readonly Verdict[]) {
  const number = (wanted: State) => verdicts.filter(({ state }) => state === wanted).length
  return { passed: number('pass'), failed: number('fail'), unclear: number('unclear') }
}

function toTable(verdicts: readonly Verdict[], { process }: Runtime): string {
  const paint = paintFor(process)
  const width = Math.max(...verdicts.map(({ check }) => check.length))
  const rows = verdicts.map(({ check, state, detail }) => {
    const [sign, tone] = SIGNS[state]
    return `${paint[tone]}${sign} ${check.padEnd(width)}${paint.reset}  ${detail}`
  })
  const counts = Object.entries(tally(verdicts)).map(([word, number]) => `${number} ${word}`)
  return [...rows, '', counts.join(', ')].join('\n')
}
