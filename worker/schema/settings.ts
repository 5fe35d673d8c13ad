/** Everything an operator can set, as one table: variables of `wrangler.toml` or secrets. The README's "Settings" lists the same rows, and a test compares them. */

import { suggestion } from '../lib/nearest.ts'
import { readDuration, readTtlRules, type TtlRule } from './ttl.ts'

/** How a variable's text becomes a value. @throws Error saying what would be right */
export interface Setting<Value> {
  readonly initially: Value
  /** The default as an operator would write it, where that is not simply the value. */
  readonly written?: string
  readonly read: (text: string) => Value
}

/** A whole number from `least` on. */
const count = (initially: number, least = 0): Setting<number> => ({
  initially,
  read(text) {
    const value = Number(text)
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least)
      throw new Error(`a whole number from ${least} on is needed`)
    return value
  },
})

/** One of a few words. */
const choice = <const Word extends string>(
  initially: NoInfer<Word>,
  words: readonly Word[],
): Setting<Word> => ({
  initially,
  read(text) {
    const word = words.find((candidate) => candidate === text)
    if (word === undefined)
      throw new Error(`one of ${words.join(', ')} is needed.${suggestion(text, words)}`)
    return word
  },
})

/** Any text, which is read where it is used. */
const text = (initially = ''): Setting<string> => ({ initially, read: (given) => given })

/** An age in ms, written as PuppetDB writes it; 0 is never. */
const duration = (written: string): Setting<number> => ({
  initially: readDuration(written),
  written,
  read: readDuration,
})

/** Ages of reports of some status or environment; none by default. */
const ttlRules = (): Setting<readonly TtlRule[]> => ({
  initially: [],
  written: '',
  read: readTtlRules,
})

/** Names of properties, separated by commas; `none` for none. */
const properties = (...initially: readonly string[]): Setting<readonly string[]> => ({
  initially,
  read(text) {
    const names = text.split(',').map((name) => name.trim())
    if (names.length === 1 && names[0] === 'none') return []
    const wrong = names.find((name) => !/^([\w:]+\/)?[\w*-]+$/.test(name))
    if (wrong !== undefined)
      throw new Error(
        `"${wrong}" is no name of a property, such as password, User/password or *_token; several are separated by commas, and none is "none"`,
      )
    return names
  },
})

export const SETTINGS = {
  /** Whether requests need credentials. */
  ACCESS: choice('closed', ['closed', 'open']),
  /** Secret: who may come in by a token, an entry a line. */
  TOKENS: text(),
  /** Who may come in by a client certificate, an entry a line. */
  CLIENT_CERTIFICATES: text(),
  /** People sign in by Cloudflare Access: the name before `.cloudflareaccess.com`. */
  ACCESS_TEAM: text(),
  /** … and the audience tag of the application there. */
  ACCESS_AUDIENCE: text(),
  /** E-mail addresses, separated by commas, of the people who are administrators; `*` stands for anything. */
  ACCESS_ADMINS: text(),
  /** Secret: what the cookies of the console's sign-in are signed with. */
  CONSOLE_KEY: text(),
  /** Whether hooks may tell receivers on the machine of the service itself. */
  LOCAL_HOOKS: choice('off', ['off', 'on']),
  /** Largest command in bytes, after unpacking. */
  MAX_COMMAND_BYTES: count(32 * 1024 * 1024, 1024),
  /** Reports go at this age, but for each node's latest. */
  REPORT_TTL: duration('14d'),
  /** Other ages for some of them. */
  REPORT_TTL_RULES: ttlRules(),
  /** Events go at this age of their report, if they don't go with it. */
  RESOURCE_EVENTS_TTL: duration('0'),
  /** So do logs and metrics. */
  LOGS_AND_METRICS_TTL: duration('0'),
  /** Nodes of which nothing has been heard for this long expire. */
  NODE_TTL: duration('7d'),
  /** Nodes that have been inactive for this long go, with all that is theirs. */
  NODE_PURGE_TTL: duration('14d'),
  /** What says the `catalog_environment` of nodes: catalogs, or the latest report for sites that send no catalogs. */
  CATALOG_ENVIRONMENT: choice('catalogs', ['catalogs', 'reports']),
  /** What is answered to a query for exported resources, of which none are kept. */
  EXPORTED_RESOURCES: choice('refuse', ['refuse', 'none']),
  /** Properties whose values are not kept: those that Puppet's own types hold secrets in. */
  REDACT: properties('password', 'password_hash'),
  /** Longest query in characters. */
  MAX_QUERY_LENGTH: count(2_000_000, 1),
  /** Most rows of an answer; 0 is no such limit. */
  MAX_ROWS: count(0),
  /** Seconds after which a query that asks for no timeout is given up; 0 is never. */
  QUERY_TIMEOUT: count(0),
  /** Seconds that a query may ask for as its timeout at most; 0 is any number. */
  MAX_QUERY_TIMEOUT: count(0),
  /** A line of JSON on the log for each request. */
  LOG_REQUESTS: choice('on', ['on', 'off']),
}

export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['initially']
}

/** A setting holds what it can't. The operator's mistake; whoever asks reads its name, never its value. */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured'
}

const read = new WeakMap<object, Settings>()

/**
 * The settings of an environment; what is not set, or empty, is as by default.
 *
 * @param environment the Worker's bindings: those that are no settings are left alone
 * @throws Misconfigured naming the setting and what would be right
 */
export function readSettings(environment: object): Settings {
  const known = read.get(environment)
  if (known) return known
  const given = environment as Readonly<Record<string, unknown>>
  const settings = Object.fromEntries(
    Object.entries<Setting<unknown>>(SETTINGS).map(([name, setting]) => [
      name,
      valueOf(name, setting, given[name]),
    ]),
  ) as Settings
  read.set(environment, settings)
  return settings
}

/** The settings that say what is kept how long. */
export const AGE_SETTINGS = [
  'REPORT_TTL',
  'REPORT_TTL_RULES',
  'RESOURCE_EVENTS_TTL',
  'LOGS_AND_METRICS_TTL',
  'NODE_TTL',
  'NODE_PURGE_TTL',
] as const
export type AgeSetting = (typeof AGE_SETTINGS)[number]

/** An age as it is written, by the operator or by default. */
export const writtenOf = (environment: object, name: AgeSetting): string =>
  String((environment as Readonly<Record<string, unknown>>)[name] || SETTINGS[name].written)

function valueOf(name: string, { initially, read }: Setting<unknown>, given: unknown): unknown {
  if (given === undefined || given === null || given === '') return initially
  try {
    // Variables of wrangler.toml may be numbers, booleans or tables; secrets are always text.
    return read(typeof given === 'string' ? given : JSON.stringify(given))
  } catch (error) {
    throw new Misconfigured(`The setting ${name} can't be read: ${(error as Error).message}`)
  }
}
