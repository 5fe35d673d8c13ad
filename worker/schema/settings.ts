/** Every setting of an operator: variables of `wrangler.toml` or secrets. `npm run describe` lists them in docs/reference/settings.md. */

import { HISTORY_TABLE_NAMES, type HistoryTable } from './history-tables.ts'
import { readHookHosts, type HookHost } from './hook-hosts.ts'
import { readMailbox, readSmtpUrl, type Mailbox, type SmtpServer } from './mail.ts'
import {
  asChoice,
  asCount,
  Unreadable,
  wordAmong,
  type JsonSchema,
  type ValueReader,
} from './readers.ts'
import { readDuration, readTtlRules, type TtlRule } from './ttl.ts'

/** A value that an operator sets. */
export interface Setting<Value> extends ValueReader<Value> {
  /** The default as an operator would write it, where that differs from the value. */
  readonly written?: string
}

const TEXT: JsonSchema = { type: 'string' }

/** Any text; the code that uses the setting parses it. */
const text = (about: string): Setting<string> => ({
  about,
  initially: '',
  schema: TEXT,
  read: (given) => given,
})

/** A secret that signs or encrypts; empty for none. */
const key = (about: string, least: number): Setting<string> => ({
  ...text(about),
  read(given) {
    if (given.length < least) throw new Unreadable(`at least ${least} random characters`)
    return given
  },
})

/** An age in ms, written as PuppetDB writes it; 0 means never. */
const duration = (about: string, written: string): Setting<number> => ({
  about,
  initially: readDuration(written),
  written,
  schema: TEXT,
  read: readDuration,
})

/** Ages of reports by status or environment; none by default. */
const ttlRules = (about: string): Setting<readonly TtlRule[]> => ({
  about,
  initially: [],
  written: '',
  schema: TEXT,
  read: readTtlRules,
})

/** A regular expression; its first group, or else the whole match, is what counts. */
const pattern = (about: string, written: string): Setting<RegExp> => ({
  about,
  initially: new RegExp(written, 'u'),
  written,
  schema: TEXT,
  read(text) {
    if (text.length > LONGEST_PATTERN) throw new Unreadable(`at most ${LONGEST_PATTERN} characters`)
    return new RegExp(text, 'u')
  },
})
const LONGEST_PATTERN = 200

/** The origin of an address: scheme, host and port; empty for none. */
const origin = (about: string): Setting<string> => ({
  ...text(about),
  read(given) {
    const [, url] = /^(https?:\/\/[^/?#@\s]+)\/?$/i.exec(given) ?? []
    if (url === undefined)
      throw new Unreadable('an address such as https://reports.example.com, without a path')
    return new URL(url).origin
  },
})

/** The address of an issuer of OpenID Connect: HTTPS, or HTTP on this machine; empty for none. */
const issuer = (about: string): Setting<string> => ({
  ...text(about),
  read(given) {
    const address = given.trim()
    if (ISSUER.test(address) && isUrl(address)) return address
    throw new Unreadable(
      'the https address of an issuer, such as https://sso.example.com/realms/ops',
    )
  },
})

const ISSUER =
  /^(?:https:\/\/[^/?#@\s]+|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?)(?:\/[^?#@\s]*)?$/

function isUrl(address: string): boolean {
  try {
    return new URL(address).host !== ''
  } catch {
    return false
  }
}

/** Text with a default. */
const textOr = (about: string, written: string): Setting<string> => ({
  ...text(about),
  initially: written,
})

/** Tables of the history, separated by commas. */
const historyTables = (about: string): Setting<readonly HistoryTable[]> => ({
  about,
  initially: HISTORY_TABLE_NAMES,
  written: HISTORY_TABLE_NAMES.join(','),
  schema: TEXT,
  read: (given) => given.split(',').map((name) => wordAmong(HISTORY_TABLE_NAMES, name.trim())),
})

/** Hosts outside public networks; none by default. */
const hookHosts = (about: string): Setting<readonly HookHost[]> => ({
  about,
  initially: [],
  written: '',
  schema: TEXT,
  read: readHookHosts,
})

/** A value that is null by default. */
const optional = <Value>(about: string, read: (given: string) => Value): Setting<Value | null> => ({
  about,
  initially: null,
  written: '',
  schema: TEXT,
  read,
})

/** Property names, separated by commas; `none` for none. */
const properties = (
  about: string,
  ...initially: readonly string[]
): Setting<readonly string[]> => ({
  about,
  initially,
  schema: TEXT,
  read(text) {
    const names = text.split(',').map((name) => name.trim())
    if (names.length === 1 && names[0] === 'none') return []
    const wrong = names.find((name) => !/^([\w:]+\/)?[\w*-]+$/.test(name))
    if (wrong !== undefined)
      throw new Unreadable(
        `names of properties, such as password, User/password or *_token, with commas between them, or "none"; not "${wrong}"`,
      )
    return names
  },
})

export const SETTINGS = {
  ACCESS: asChoice(
    'Whether requests need credentials: `closed`, or `open` for a machine or network of your own.',
    'closed',
    ['closed', 'open'],
  ),
  TOKENS: text('Secret: the tokens that give access, one per line.'),
  CLIENT_CERTIFICATES: text(
    'The client certificates that give access, one per line: `NAME SCOPE[,SCOPE…] [certname=…] [environment=…]`.',
  ),
  PEOPLE: text(
    'The people whom an OpenID Connect issuer or a proxy signs in, one per line: `NAME SCOPE[,SCOPE…] [certname=…] [environment=…]`, with a name, a pattern or `group:NAME`. A token with `user-header` lets the proxy name them.',
  ),
  OIDC_ISSUER: issuer(
    'The OpenID Connect issuer with which people sign in to the console, such as `https://sso.example.com/realms/ops`.',
  ),
  OIDC_CLIENT_ID: text('The id of this service at the issuer.'),
  OIDC_CLIENT_SECRET: text('Secret: the secret of that client; empty for a public client.'),
  OIDC_SCOPE: textOr(
    'What the service asks the issuer for, separated by blanks; some issuers send groups only if `groups` is asked for.',
    'openid profile email',
  ),
  OIDC_NAME_CLAIM: textOr('The claim that names people as `PEOPLE` lists them.', 'email'),
  OIDC_GROUPS_CLAIM: textOr('The claim that lists the groups of a person.', 'groups'),
  ACCESS_TEAM: text(
    'The team of Cloudflare Access with which people sign in: the name before `.cloudflareaccess.com`.',
  ),
  ACCESS_AUDIENCE: text('The audience tag of the application in Cloudflare Access.'),
  ACCESS_ADMINS: text(
    'E-mail addresses of administrators, separated by commas; `*` matches anything.',
  ),
  ACCESS_OPERATORS: text('E-mail addresses of people with the scope operate, in the same form.'),
  CONSOLE_KEY: key(
    "Secret: the key that signs the console's session cookies, at least 32 random characters.",
    32,
  ),
  PUBLIC_URL: origin(
    'The address by which people reach the service over a proxy, such as `https://reports.example.com`; empty if they reach it without one.',
  ),
  LOCAL_HOOKS: asChoice(
    "Whether hooks may deliver to receivers on the service's own machine; `on` for an open `npm start` on loopback.",
    'off',
    ['off', 'on'],
  ),
  HOOK_HOSTS: hookHosts(
    'Hosts of private networks to which hooks may deliver, on `npm start` only: names, patterns such as `*.corp.lan`, addresses and networks, each with `:PORT` or without.',
  ),
  SMTP_URL: optional<SmtpServer>(
    'Secret: the server that sends the mail of hooks, on `npm start` only, such as `smtps://USER:PASSWORD@mail.example.com` or `smtp://mail.example.com:587`. TLS is required, but not on loopback; `?tls=off` switches it off.',
    readSmtpUrl,
  ),
  SMTP_FROM: optional<Mailbox>(
    'The sender of that mail, such as `Puppet reports <reports@example.com>`. Its domain names messages.',
    readMailbox,
  ),
  MAX_COMMAND_BYTES: asCount(
    'Largest command in bytes, after unpacking; 33554432 on `npm start`.',
    8 * 1024 * 1024,
    { least: 1024 },
  ),
  MAX_DATABASE_BYTES: asCount(
    'Largest size that D1 allows the database: 500000000 on the free plan; 0 for no limit.',
    10_000_000_000,
  ),
  MAX_QUERIES: asCount(
    'Statements that a request may send to D1: 50 on the free plan; 0, as on `npm start`, for no limit.',
    1000,
  ),
  REPORT_TTL: duration("Retention deletes reports of this age, except each node's latest.", '14d'),
  REPORT_TTL_RULES: ttlRules(
    'Other ages by status or environment, such as `status=failed:60d environment=production:30d`.',
  ),
  RESOURCE_EVENTS_TTL: duration(
    'Retention deletes events when their report has this age, unless it deletes the report earlier.',
    '0',
  ),
  LOGS_AND_METRICS_TTL: duration(
    'Retention deletes logs and metrics when their report has this age.',
    '0',
  ),
  HISTORY_MODE: asChoice(
    'With a bucket `HISTORY`: whether retention waits until reports are in the history (`required`), deletes them at their age anyway (`best-effort`), or no history is written (`off`).',
    'required',
    ['required', 'best-effort', 'off'],
  ),
  HISTORY_TABLES: historyTables(
    'The tables of the history; `reports` is always written, and `metrics` takes more than half of the bytes.',
  ),
  HISTORY_TTL: duration(
    'Housekeeping deletes days of the history of this age, unless the database still has a report of the day; 0 keeps all.',
    '0',
  ),
  NODE_TTL: duration('Nodes that were silent for this long expire.', '7d'),
  NODE_PURGE_TTL: duration(
    'Retention deletes nodes that were inactive for this long, with all their reports.',
    '14d',
  ),
  EXPORTED_RESOURCES: asChoice(
    'The answer to a query for exported resources, which this service does not store.',
    'refuse',
    ['refuse', 'none'],
  ),
  REDACT: properties(
    "Properties whose values are not stored: those in which Puppet's own types hold secrets.",
    'password',
    'password_hash',
  ),
  MAX_QUERY_LENGTH: asCount('Longest query in characters.', 2_000_000, { least: 1 }),
  MAX_ROWS: asCount('Most rows of an answer; 0 means no limit.', 0),
  QUERY_TIMEOUT: asCount(
    'Timeout in seconds of queries that set none; 0 means never. `npm start` sets 60.',
    0,
  ),
  MAX_QUERY_TIMEOUT: asCount(
    'Longest timeout in seconds that a query may set; 0 means no limit.',
    0,
  ),
  CONSOLE_NAME: text('The name of the fleet in the header and the titles of the console.'),
  CODE_URL: text(
    'The address of a manifest at the code host, with `{version}`, `{file}` and `{line}`, to which the console links file and line; empty for no links.',
  ),
  NODE_LINK: text(
    'The address of a node in a program that runs the agent, with `{certname}`, which the pages of nodes and reports link; empty for no link.',
  ),
  NODE_GROUP: pattern(
    'Groups nodes on the map, the wall and the page of a deploy: a regular expression on the certname, whose first group or whole match names the group. By default it is the text preceding the first number, and a name such as k8s, s3 or el9 is a word; names that are UUIDs have no group.',
    '^(?![\\da-f]{8}-[\\da-f]{4}-)(?:[a-z]\\d(?=[a-z]|[-_][a-z])|[a-z]+\\d(?=[-_]\\d))?[^\\d.]+',
  ),
  LOG_REQUESTS: asChoice(
    'Which requests to log, one line of JSON each: all, those that were refused or failed, or none.',
    'on',
    ['on', 'failed', 'off'],
  ),
}

export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['initially']
}

/** The operator set a value that the setting does not allow. Clients read the setting's name, never its value. */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured'
}

const read = new WeakMap<object, Settings>()

/**
 * The settings of an environment; a setting that is missing or empty has its default.
 *
 * @param environment the Worker's bindings; other bindings are ignored
 * @throws Misconfigured naming the setting and how to write it
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

/** The settings of retention ages. */
export const AGE_SETTINGS = [
  'REPORT_TTL',
  'REPORT_TTL_RULES',
  'RESOURCE_EVENTS_TTL',
  'LOGS_AND_METRICS_TTL',
  'NODE_TTL',
  'NODE_PURGE_TTL',
] as const
export type AgeSetting = (typeof AGE_SETTINGS)[number]

/** An age as the operator wrote it, or its default. */
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
