import { UsageError } from './errors.js'
import { parseTarget } from './forward.js'
import { checkStatus, parseHeader, parseMatch, parseRule, readBody, readRules } from './rules.js'
import { parseSecret } from './signature.js'
import { parseDuration, parseSize } from './units.js'

export const GROUPS = ['', 'Answer', 'Output', 'Run', 'Relay'] as const

interface OptionBase {
  readonly group: (typeof GROUPS)[number]
  readonly short?: string
  readonly help: string
}
interface Switch extends OptionBase {
  readonly kind: 'switch'
  readonly fallback: boolean
}
interface Single<T> extends OptionBase {
  readonly kind: 'single'
  readonly value: string
  readonly read: (text: string) => T
  readonly fallback: string | undefined
  /** Taken when the option stands without a value. */
  readonly bare?: string
  readonly choices?: readonly string[]
  readonly file?: boolean
}
interface Repeated<T> extends Omit<Single<T>, 'kind' | 'fallback'> {
  readonly kind: 'repeated'
}
export type Option = Switch | Single<unknown> | Repeated<unknown>

const text = (value: string) => value
const on = (group: OptionBase['group'], help: string) =>
  ({ kind: 'switch', group, help, fallback: true }) as const

const number = (low: number, high: number) => (value: string) => {
  if (/^\d+$/.test(value) && Number(value) >= low && Number(value) <= high) return Number(value)
  throw new UsageError(`'${value}' is not a whole number from ${low} to ${high}`)
}
const choice =
  <T extends string>(choices: readonly T[]) =>
  (value: string) => {
    if (choices.includes(value as T)) return value as T
    throw new UsageError(`'${value}' is not one of ${choices.join(', ')}`)
  }
const COLOURS = ['auto', 'always', 'never'] as const
const SHELLS = ['bash', 'zsh', 'fish'] as const

const single = <T>(option: Omit<Single<T>, 'kind' | 'fallback'> & { fallback?: string }) =>
  ({ kind: 'single', fallback: undefined, ...option }) as Single<T> & {
    fallback: string | undefined
  }
const always = <T>(option: Omit<Single<T>, 'kind'> & { fallback: string }) =>
  ({ kind: 'single', ...option }) as Single<T> & { fallback: string }
const repeated = <T>(option: Omit<Repeated<T>, 'kind'>) =>
  ({ kind: 'repeated', ...option }) as Repeated<T>
const off = (option: OptionBase) => ({ kind: 'switch', fallback: false, ...option }) as const

/** Every option once: parsing, help, environment names and completion all read this table. */
const OPTIONS = {
  port: always({
    group: '',
    short: 'p',
    value: 'n',
    help: 'port to listen on, 0 for any free one',
    fallback: '8080',
    read: number(0, 65535),
  }),
  answer: on('', 'answer that the data was received; off: an empty body'),
  info: on('', 'print all about a request; off: bodies only'),
  pretty: on('', 'indent JSON; off: bodies as sent'),
  status: always({
    group: 'Answer',
    short: 's',
    value: 'code',
    help: 'status',
    fallback: '200',
    read: (value) => checkStatus(Number(value)),
  }),
  body: single({
    group: 'Answer',
    short: 'b',
    value: 'text|@file',
    help: 'body',
    read: readBody,
    file: true,
  }),
  header: repeated({
    group: 'Answer',
    short: 'H',
    value: 'name: value',
    help: 'header, repeatable',
    read: parseHeader,
  }),
  delay: always({
    group: 'Answer',
    short: 'd',
    value: 'time',
    help: 'wait before answering: 300ms, 2s',
    fallback: '0ms',
    read: parseDuration,
  }),
  rule: repeated({
    group: 'Answer',
    short: 'r',
    value: 'rule',
    help: "'POST /pay => 503 x2', repeatable, first match wins",
    read: parseRule,
  }),
  rules: single({
    group: 'Answer',
    value: 'file',
    help: 'JSON list of rules, after those of --rule',
    read: readRules,
    file: true,
  }),
  output: single({
    group: 'Output',
    short: 'o',
    value: 'file',
    help: 'append each request as one JSON line',
    read: text,
    file: true,
  }),
  json: off({ group: 'Output', help: 'print those lines instead of the readable form' }),
  quiet: off({ group: 'Output', short: 'q', help: 'print one line per request' }),
  filter: single({
    group: 'Output',
    value: 'match',
    help: "print (and count) only these: 'POST /hooks/*'",
    read: parseMatch,
  }),
  redact: repeated({
    group: 'Output',
    value: 'name',
    help: 'show a header, JSON key or field as ***, repeatable',
    read: text,
  }),
  color: always({
    group: 'Output',
    value: 'when',
    help: COLOURS.join(', '),
    fallback: 'auto',
    read: choice(COLOURS),
    choices: COLOURS,
  }),
  count: single({
    group: 'Run',
    short: 'n',
    value: 'n',
    help: 'stop with 0 after n requests',
    read: number(1, 1e9),
  }),
  timeout: single({
    group: 'Run',
    short: 't',
    value: 'time',
    help: 'stop with 4 if they did not come',
    read: parseDuration,
  }),
  host: always({
    group: 'Run',
    value: 'address',
    help: 'address to listen on',
    fallback: '127.0.0.1',
    read: text,
  }),
  maxBody: always({
    group: 'Run',
    value: 'size',
    help: 'bytes kept of a body, more is answered 413',
    fallback: '10MiB',
    read: parseSize,
  }),
  cert: single({
    group: 'Run',
    value: 'pem',
    help: 'certificate file: listen with HTTPS',
    read: text,
    file: true,
  }),
  key: single({ group: 'Run', value: 'pem', help: 'its key file', read: text, file: true }),
  forward: single({
    group: 'Relay',
    short: 'f',
    value: 'url',
    help: 'pass on, print the reply, give it to the sender',
    read: (value) => parseTarget(value).href,
  }),
  secret: single({
    group: 'Relay',
    value: 'scheme:secret',
    help: 'check signatures: standard, github, stripe, slack',
    read: parseSecret,
  }),
  ui: single({
    group: 'Relay',
    value: 'port',
    help: 'live page, on port 8081 unless given',
    bare: '8081',
    read: number(0, 65535),
  }),
  completion: single({
    group: 'Relay',
    value: 'shell',
    help: `print completion for ${SHELLS.join(', ')}`,
    read: choice(SHELLS),
    choices: SHELLS,
  }),
  help: off({ group: 'Relay', short: 'h', help: 'print this' }),
  version: off({ group: 'Relay', short: 'V', help: 'print the version' }),
}

type Value<O> =
  O extends Repeated<infer T>
    ? T[]
    : O extends Switch
      ? boolean
      : O extends Single<infer T>
        ? O extends { fallback: string }
          ? T
          : T | undefined
        : never

/** What the command line and the environment say, defaults filled in. */
export type Settings = { -readonly [Name in keyof typeof OPTIONS]: Value<(typeof OPTIONS)[Name]> }

/** Names and options in the order of the table, names as they are typed: 'max-body'. */
export const optionList: readonly (readonly [name: string, key: keyof Settings, option: Option])[] =
  Object.entries(OPTIONS).map(
    ([key, option]) =>
      [key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`), key as keyof Settings, option] as const,
  )

export const environmentName = (name: string): string =>
  `LOCAL_CATCHER_${name.replaceAll('-', '_').toUpperCase()}`
