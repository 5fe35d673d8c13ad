// `local-catcher check`: a drill for senders of webhooks, with a table of what they do right.
import { startCatcher } from '../catcher.js'
import { startChild } from '../command/child.js'
import { EXIT } from '../command/exit.js'
import { readSwitch, type OptionTable } from '../command/option-table.js'
import { subcommand } from '../command/subcommand.js'
import { UsageError } from '../errors.js'
import { deliver, parseTarget } from '../forward.js'
import { colour, plain, type Paint } from '../show/paint.js'
import { readSecret } from '../signature.js'
import { formatDuration, oneOf, parseDuration, wholeNumber } from '../values.js'
import { drill, type Run, type Subject } from './drill.js'
import { EXERCISES } from './exercises.js'
import { judge, type State, type Verdict } from './verdicts.js'

const NAMES = EXERCISES.map(({ name }) => name)
const REQUIRED = 'accept'
const MOST_REPLY = 64 * 1024

const OPTIONS = {
  port: {
    letter: 'p',
    value: '<n>',
    help: 'port to listen on: 8080 for a URL, any free one for a command',
    read: wholeNumber(0, 65535),
  },
  secret: {
    value: '<scheme:secret>',
    help: 'check the signatures too',
    read: readSecret,
    repeatable: true,
  },
  wait: {
    letter: 'w',
    value: '<time>',
    help: 'how long another attempt may take to come',
    read: parseDuration,
    fallback: '10s',
  },
  skip: {
    value: '<exercise>',
    help: `leave out: ${NAMES.slice(1).join(', ')}`,
    read: oneOf(NAMES.filter((name) => name !== REQUIRED)),
    choices: NAMES.slice(1),
    repeatable: true,
  },
  parallel: {
    help: 'all exercises at once; a service then has to send to the URL it is given',
    read: readSwitch,
  },
  strict: { help: 'count what is unclear as failed', read: readSwitch },
  json: { help: 'print the result as JSON', read: readSwitch },
} as const satisfies OptionTable

export const check = subcommand({
  usage: `Usage: local-catcher check [options] -- command
       local-catcher check [options] <trigger URL>
Tests a sender of webhooks: fails, hangs, redirects, and judges how the sender takes it.
`,
  options: OPTIONS,
  notes: `The command sends one webhook to the URL in LOCAL_CATCHER_URL, and ends when it has given up.
A trigger URL gets {"url": …} by POST, and makes its service send one webhook to this port.
Exit: 0 nothing failed, 4 no webhook came, 6 a check failed; as without check: 1, 2, 3.
`,
  mostOperands: 1,
  async run({ settings, operands: [trigger], command }) {
    const { port, secret, wait, skip, parallel = false, strict = false, json = false } = settings
    if ((trigger === undefined) === (command.length === 0)) {
      throw new UsageError("give either a URL to trigger a webhook, or '--' and a command")
    }
    const target = trigger === undefined ? null : parseTarget(trigger)
    const catcher = await startCatcher({ port: port ?? (target ? 8080 : 0), secret, keep: 0 })
    const exercises = EXERCISES.filter(({ name }) => !skip.includes(name))
    const start = (url: string, { name, shows }: Run['exercise']) => {
      tell(`${name}: the receiver ${shows}`)
      return target ? pullTrigger(target, url) : runSender(command, url)
    }
    const options = { wait, parallel, paths: target === null || parallel, secrets: secret }
    // Commands have process groups of their own, which end when we exit.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(signal, () => process.exit(EXIT.interrupted))
    }
    try {
      const runs = await drill(catcher, exercises, start, options, tellRun)
      const verdicts = judge(runs)
      print(json ? toJson(verdicts, runs) : toTable(verdicts))
      if (runs[0].attempts.length === 0) {
        tell(target ? NOTHING_TRIGGERED : NOTHING_SENT)
        return EXIT.timeout
      }
      const failing: readonly State[] = strict ? ['fail', 'unclear'] : ['fail']
      return verdicts.some(({ state }) => failing.includes(state)) ? EXIT.differs : EXIT.stopped
    } finally {
      await catcher.close()
    }
  },
})

const tell = (text: string) => void process.stderr.write(`local-catcher: ${text}\n`)
const print = (text: string) => void process.stdout.write(text)

const NOTHING_SENT = 'the command sent nothing to the URL in LOCAL_CATCHER_URL'
const NOTHING_TRIGGERED = 'no webhook came: does the service send to the port of this catcher?'

function tellRun({ exercise, attempts }: Run) {
  const [first] = attempts
  const last = attempts.at(-1)
  const took = first && last ? last.time.getTime() - first.time.getTime() : 0
  const within = attempts.length > 1 ? ` within ${formatDuration(took)}` : ''
  tell(`${exercise.name}: ${attempts.length} attempt${attempts.length === 1 ? '' : 's'}${within}`)
}

/** The command is the sender; what it prints goes beside the result. */
const runSender = (command: readonly string[], url: string): Subject =>
  startChild(command, { LOCAL_CATCHER_URL: url }, () => {}, ['ignore', 2, 2])

/** A service elsewhere is the sender: it may send at any time. */
function pullTrigger(trigger: URL, url: string): Subject {
  const abort = new AbortController()
  const subject = { running: true, end: () => Promise.resolve(abort.abort()) }
  const headers = [['Content-Type', 'application/json']] as const
  const message = { method: 'POST', headers, bytes: Buffer.from(JSON.stringify({ url })) }
  void deliver(message, trigger, MOST_REPLY, abort.signal).then(({ error, status }) => {
    if (abort.signal.aborted || (error === null && status < 300)) return
    tell(`the trigger failed: ${error ?? `it answered ${status}`}`)
    subject.running = false
  })
  return subject
}

const SIGNS: Readonly<Record<State, string>> = { pass: '✓', fail: '✗', unclear: '?', none: '–' }

function tones({ good, bad, dim, bold }: Paint): Readonly<Record<State, string>> {
  return { pass: good, fail: bad, unclear: bold, none: dim }
}

const countOf = (verdicts: readonly Verdict[], state: State) =>
  verdicts.filter((verdict) => verdict.state === state).length

function toTable(verdicts: readonly Verdict[]): string {
  const paint = process.stdout.isTTY && process.stdout.hasColors() ? colour : plain
  const width = Math.max(...verdicts.map(({ check }) => check.length))
  const rows = verdicts.map(({ check, state, detail }) => {
    return `${tones(paint)[state]}${SIGNS[state]} ${check.padEnd(width)}${paint.reset}  ${detail}\n`
  })
  const counts = (['pass', 'fail', 'unclear'] as const).map((state) => countOf(verdicts, state))
  return `${rows.join('')}\n${counts[0]} passed, ${counts[1]} failed, ${counts[2]} unclear\n`
}

function toJson(verdicts: readonly Verdict[], runs: readonly Run[]): string {
  const exercises = runs.map(({ exercise, attempts, ended }) => {
    const start = attempts[0]?.time.getTime() ?? 0
    const seen = attempts.map(({ time, method, url, answer, outcome, elapsed }) => {
      return { after: time.getTime() - start, method, url, answer, outcome, elapsed }
    })
    return { exercise: exercise.name, senderEnded: ended, attempts: seen }
  })
  const count = (state: State) => countOf(verdicts, state)
  const counts = { passed: count('pass'), failed: count('fail'), unclear: count('unclear') }
  return `${JSON.stringify({ ...counts, checks: verdicts, exercises }, null, 2)}\n`
}
