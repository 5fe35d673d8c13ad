import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { attempt, suggestion, UsageError } from './errors.js'
import { parseTarget } from './forward.js'
import { parseHeader, parseMatch, parseRule, readBody, readRules, readStatus } from './rules.js'
import { parseSecret } from './signature.js'
import { oneOf, parseDuration, parseSize, wholeNumber } from './values.js'

const COLOURS = ['auto', 'always', 'never'] as const
const SHELLS = ['bash', 'zsh', 'fish'] as const
const PAGE_PORT = '8081'

/**
 * The text of --help, and the table of options: parsing, environment names and completion read
 * names, values and, in parentheses at the end, defaults from here.
 */
export const HELP = `Usage: local-catcher [options] [-- command]
Receives webhooks on this machine, shows them as they were sent, and answers them.

  -p, --port <n>                port to listen on, 0 for any free one (8080)
      --[no-]answer             answer that the data was received; off: an empty body
      --[no-]info               print all about a request; off: bodies only
      --[no-]pretty             indent JSON; off: bodies as sent
Answer
  -s, --status <code>           status (200)
  -b, --body <text|@file>       body
  -H, --header <name: value>    header, repeatable
  -d, --delay <time>            wait before answering: 300ms, 2s
  -r, --rule <rule>             'POST /pay => 503 x2', repeatable, first match wins
      --rules <file>            JSON list of rules, after those of --rule
Output
  -o, --output <file>           append each request as one JSON line
      --json                    print those lines instead of the readable form
  -q, --quiet                   print one line per request
      --filter <match>          print (and count) only these: 'POST /hooks/*'
      --redact <name>           show a header, JSON key or field as ***, repeatable
      --color <when>            ${COLOURS.join(', ')} (auto)
Run
  -n, --count <n>               stop with 0 after n requests
  -t, --timeout <time>          stop with 4 if they did not come
      --host <address>          address to listen on (127.0.0.1)
      --max-body <size>         bytes kept of a body, more is answered 413 (10MiB)
      --cert <pem>              certificate file: listen with HTTPS
      --key <pem>               its key file
Relay
  -f, --forward <url>           pass on, print the reply, give it to the sender
      --secret <scheme:secret>  check signatures: standard, github, stripe, slack
      --ui [port]               live page, on port ${PAGE_PORT} unless given
      --completion <shell>      print completion for ${SHELLS.join(', ')}
  -h, --help                    print this
  -V, --version                 print the version

Each option is also read from the environment: LOCAL_CATCHER_MAX_BODY=1MiB
  local-catcher -p 0 -n 1 -t 10s -o hook.jsonl -- npm test
Exit: 0 stopped or count reached, 1 failed, 2 wrong use, 3 cannot listen, 4 timeout,
5 a signature failed, 130 second Ctrl+C; with a command, its own code if not 0.
`

const readPem = (file: string): Buffer =>
  attempt('the certificate or its key cannot be read', () => readFileSync(file))

/** How the value of each option is read, or its values; an option without a reader is a switch. */
const READERS = {
  port: wholeNumber(0, 65535),
  status: readStatus,
  body: readBody,
  header: (texts: string[]) => texts.map(parseHeader),
  delay: parseDuration,
  rule: (texts: string[]) => texts.map(parseRule),
  rules: readRules,
  output: String,
  filter: parseMatch,
  redact: (texts: string[]) => texts,
  color: oneOf(COLOURS),
  count: wholeNumber(1, 1e9),
  timeout: parseDuration,
  host: String,
  maxBody: parseSize,
  cert: readPem,
  key: readPem,
  forward: (value: string) => parseTarget(value).href,
  secret: parseSecret,
  ui: wholeNumber(0, 65535),
  completion: oneOf(SHELLS),
}

type Reader = (given: string | string[]) => unknown
type Read = { [Name in keyof typeof READERS]: ReturnType<(typeof READERS)[Name]> }
type Present = 'port' | 'status' | 'header' | 'rule' | 'redact' | 'color' | 'host' | 'maxBody'
type Switch = 'answer' | 'info' | 'pretty' | 'json' | 'quiet' | 'help' | 'version'

/** What the command line and the environment say, defaults filled in. */
export type Settings = Partial<Read> & Pick<Read, Present> & Record<Switch, boolean>

const ROW =
  /^ {2}(?:-(\w), )? *--(\[no-\])?([a-z-]+)(?: [<[](.+?)[>\]])? +(.+?)(?: \((\w\S*)\))?$/gm

export const OPTIONS = [...HELP.matchAll(ROW)].map(
  ([, short, no, name = '', value, help = '', fallback]) => ({
    name,
    key: name.replace('-b', 'B') as keyof Settings,
    short,
    /** What stands for its value in the help; undefined for a switch. */
    value,
    help,
    flags: [`--${name}`, ...(short ? [`-${short}`] : []), ...(no ? [`--no-${name}`] : [])],
    fallback: value ? fallback : String(no !== undefined),
    isRepeatable: help.includes('repeatable'),
    isFile: /file|pem/.test(value ?? ''),
    choices: { color: COLOURS, completion: SHELLS }[name],
  }),
)
export type Option = (typeof OPTIONS)[number]

/**
 * Reads flags, then LOCAL_CATCHER_* for those not given, then defaults; `command` is what stands
 * after `--`: the command to run, and its arguments. Throws UsageError.
 */
export function parseCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const { given, command } = readFlags(args)
  const values = OPTIONS.map((option) => {
    const { name, key, isRepeatable, fallback } = option
    const variable = environment[`LOCAL_CATCHER_${name.replace('-', '_').toUpperCase()}`]
    const inherited = variable ? (isRepeatable ? variable.split('\n') : [variable]) : []
    const texts = given[name] ?? inherited
    const last = texts.at(-1) ?? fallback
    const read = (key in READERS ? READERS[key as keyof Read] : readSwitch) as Reader
    const value = () => (isRepeatable ? read(texts) : last && read(last))
    return [key, attempt(`--${name}`, value)]
  })
  const settings = Object.fromEntries(values) as Settings
  if (settings.json && settings.quiet) {
    throw new UsageError('--json and --quiet are two forms of one output')
  }
  if (!settings.cert !== !settings.key) throw new UsageError('--cert and --key belong together')
  return { settings, command }
}

/** The texts given for each option, in order, under its name, and the command behind them. */
function readFlags(args: readonly string[]) {
  // The one option whose value may be left out; parseArgs knows of no such.
  const spelled = args.map((word, index) =>
    word === '--ui' && !/^\d+$/.test(args[index + 1] ?? '') ? `--ui=${PAGE_PORT}` : word,
  )
  const options = OPTIONS.map(({ name, short, value }) => {
    const type = value ? 'string' : 'boolean'
    return [name, { type, ...(short && { short }) } as const] as const
  })
  const how = { options: Object.fromEntries(options), strict: false, tokens: true } as const
  const given: Record<string, string[] | undefined> = {}
  for (const token of parseArgs({ ...how, args: spelled }).tokens) {
    if (token.kind === 'option-terminator') {
      const command = args.slice(token.index + 1)
      if (command.length > 0) return { given, command }
      throw new UsageError("there is no command after '--'")
    }
    if (token.kind === 'positional') {
      throw new UsageError(`'${token.value}' is not an option; a command goes after '--'`)
    }
    const [, no, name = ''] = /^(no-)?(.*)$/.exec(token.name)!
    const option = OPTIONS.find((each) => each.name === name)
    if (!option || (no && option.value)) {
      const flags = OPTIONS.flatMap((each) => each.flags)
      throw new UsageError(`unknown option ${token.rawName}${suggestion(token.rawName, flags)}`)
    }
    if (option.value && token.value === undefined) {
      throw new UsageError(`--${name} needs a value: <${option.value}>`)
    }
    given[name] = [...(given[name] ?? []), token.value ?? String(!no)]
  }
  return { given, command: [] }
}

function readSwitch(text: string): boolean {
  if (/^(true|1|yes|on)$/i.test(text)) return true
  if (/^(false|0|no|off)$/i.test(text)) return false
  throw new UsageError(`'${text}' is neither true nor false`)
}
