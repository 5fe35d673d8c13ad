import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { attempt, suggestion, UsageError } from './errors.js'
import { parseTarget } from './forward.js'
import { parseHeader, parseMatch, parseRule, readBody, readRules, readStatus } from './rules.js'
import { parseSecret } from './signature.js'
import { oneOf, parseDuration, parseSize, reader, wholeNumber } from './values.js'

const COLOURS = ['auto', 'always', 'never'] as const
const SHELLS = ['bash', 'zsh', 'fish'] as const
const PAGE_PORT = '8081'

const readPem = (file: string): Buffer =>
  attempt('the certificate or its key cannot be read', () => readFileSync(file))

const readTarget = (text: string): string => parseTarget(text).href

const listOf =
  <Value>(read: (text: string) => Value) =>
  (texts: readonly string[]) =>
    texts.map((text) => read(text))

const readSwitch = reader('true or false', (text: string) =>
  /^(true|1|yes|on)$/i.test(text) ? true : /^(false|0|no|off)$/i.test(text) ? false : undefined,
)

type Read = (given: never) => unknown
type Row = readonly [letter: string, value: string, help: string, read: Read, fallback?: string]

/**
 * The options: parsing, help, environment names, completion and types come from here. What stands
 * for the value is in brackets where it may be left out, and empty for a switch.
 */
const TABLE = {
  port: ['p', '<n>', 'port to listen on, 0 for any free one', wholeNumber(0, 65535), '8080'],
  answer: ['', '', 'answer that the data was received; off: an empty body', readSwitch, 'true'],
  info: ['', '', 'print all about a request; off: bodies only', readSwitch, 'true'],
  pretty: ['', '', 'indent JSON; off: bodies as sent', readSwitch, 'true'],
  status: ['s', '<code>', 'status', readStatus, '200'],
  body: ['b', '<text|@file>', 'body', readBody],
  header: ['H', '<name: value>', 'header, repeatable', listOf(parseHeader)],
  delay: ['d', '<time>', 'wait before answering: 300ms, 2s', parseDuration],
  rule: ['r', '<rule>', "'POST /pay => 503 x2', repeatable, first match wins", listOf(parseRule)],
  rules: ['', '<file>', 'JSON list of rules, after those of --rule', readRules],
  output: ['o', '<file>', 'append each request as one JSON line', String],
  json: ['', '', 'print those lines instead of the readable form', readSwitch],
  quiet: ['q', '', 'print one line per request', readSwitch],
  filter: ['', '<match>', "print (and count) only these: 'POST /hooks/*'", parseMatch],
  redact: ['', '<name>', 'show a header, JSON key or field as ***, repeatable', listOf(String)],
  color: ['', '<when>', COLOURS.join(', '), oneOf(COLOURS), 'auto'],
  count: ['n', '<n>', 'stop with 0 after n requests', wholeNumber(1, 1e9)],
  timeout: ['t', '<time>', 'stop with 4 if they did not come', parseDuration],
  host: ['', '<address>', 'address to listen on', String, '127.0.0.1'],
  maxBody: ['', '<size>', 'bytes kept of a body, more is answered 413', parseSize, '10MiB'],
  cert: ['', '<pem>', 'certificate file: listen with HTTPS', readPem],
  key: ['', '<pem>', 'its key file', readPem],
  forward: ['f', '<url>', 'pass on, print the reply, give it to the sender', readTarget],
  secret: ['', '<scheme:secret>', 'check signatures: standard, github, stripe, slack', parseSecret],
  ui: ['', '[port]', `live page, on port ${PAGE_PORT} unless given`, wholeNumber(0, 65535)],
  completion: ['', '<shell>', `print completion for ${SHELLS.join(', ')}`, oneOf(SHELLS)],
  help: ['h', '', 'print this', readSwitch],
  version: ['V', '', 'print the version', readSwitch],
} as const satisfies Record<string, Row>

type Table = typeof TABLE
type Values = { [Key in keyof Table]: ReturnType<Table[Key][3]> }
type Filled = { 2: `${string}repeatable${string}` } | { 4: string }
type Present = { [Key in keyof Table]: Table[Key] extends Filled ? Key : never }[keyof Table]

/** What the command line and the environment say, defaults filled in. */
export type Settings = Partial<Values> & Pick<Values, Present>

export const OPTIONS = Object.entries<Row>(TABLE).map(
  ([key, [letter, value, help, read, fallback]]) => {
    const name = key.replace('B', '-b')
    const isOn = fallback === 'true'
    const row = { key, name, letter, value, help, read, fallback, isOn }
    return {
      ...row,
      flags: [`--${name}`, ...(letter && [`-${letter}`]), ...(isOn ? [`--no-${name}`] : [])],
      isRepeatable: help.includes('repeatable'),
      isFile: /file|pem/.test(value),
      choices: { color: COLOURS, completion: SHELLS }[name],
    }
  },
)
export type Option = (typeof OPTIONS)[number]

/** Before which options the help has a heading. */
const HEADINGS = { status: 'Answer\n', output: 'Output\n', count: 'Run\n', forward: 'Relay\n' }

const helpLines = OPTIONS.map(({ key, name, letter, value, help, fallback, isOn }) => {
  const flag = `${letter ? `-${letter},` : '   '} --${isOn ? '[no-]' : ''}${name} ${value}`
  const usual = value && fallback ? ` (${fallback})` : ''
  return `${HEADINGS[key as keyof typeof HEADINGS] ?? ''}  ${flag.padEnd(30)}${help}${usual}\n`
})

/** The text of --help. */
export const HELP = `Usage: local-catcher [options] [-- command]
Receives webhooks on this machine, shows them as they were sent, and answers them.

${helpLines.join('')}
Each option is also read from the environment: LOCAL_CATCHER_MAX_BODY=1MiB
  local-catcher -p 0 -n 1 -t 10s -o hook.jsonl -- npm test
Exit: 0 stopped or count reached, 1 failed, 2 wrong use, 3 cannot listen, 4 timeout,
5 a signature failed, 130 second Ctrl+C; with a command, its own code if not 0.
`

/**
 * Reads flags, then LOCAL_CATCHER_* for those not given, then defaults; `command` is what stands
 * after `--`: the command to run, and its arguments. Throws UsageError.
 */
export function parseCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const { given, command } = readFlags(args)
  const values = OPTIONS.map(({ name, key, isRepeatable, read, fallback }) => {
    const variable = environment[`LOCAL_CATCHER_${name.replace('-', '_').toUpperCase()}`]
    const inherited = variable ? (isRepeatable ? variable.split('\n') : [variable]) : []
    const texts = given[name] ?? inherited
    const last = texts.at(-1) ?? fallback
    const value = () => (isRepeatable ? read(texts as never) : last && read(last as never))
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
  const options = OPTIONS.map(({ name, letter, value }) => {
    const type = value ? 'string' : 'boolean'
    return [name, { type, ...(letter && { short: letter }) } as const] as const
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
      throw new UsageError(`--${name} needs a value: ${option.value}`)
    }
    given[name] = [...(given[name] ?? []), token.value ?? String(!no)]
  }
  return { given, command: [] }
}
