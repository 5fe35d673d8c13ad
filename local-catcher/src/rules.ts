// Rules: which requests get which answer, as flags, JSON files and programs write them.
import { readFileSync } from 'node:fs'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { pathOf, type Pair } from './content.js'
import { attempt, UsageError } from './errors.js'
import { bytes, readFields, text, type Given, type Values } from './fields.js'
import { FAULTS } from './request.js'
import { oneOf, parseDuration, reader, wholeNumber, within } from './values.js'

/** A method, or '' for any, and a path pattern: what `--filter` and the left of a rule say. */
export type Match = Readonly<{ method: string; path: string }>

/** Reads '[METHOD] /path[*]'. */
export const parseMatch = reader(
  "[METHOD] /path: write it like 'POST /pay' or '/hooks/*'",
  (text: string): Match | undefined => {
    const match = /^\s*(?:([A-Za-z-]+)\s+)?(\*|\/[^\s*]*\*?)\s*$/.exec(text)
    return match ? { method: (match[1] ?? '').toUpperCase(), path: match[2] } : undefined
  },
)

/** Whether a request is one of those. */
export const matches = (match: Match, { method, url }: { method: string; url: string }): boolean =>
  (match.method === '' || match.method === method) && pathMatches(match.path, pathOf(url))

/** Whether a path is '/pay', starts as '/hooks/*' says, or is anything, as '*' says. */
export const pathMatches = (pattern: string, path: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern

/** Reads '[METHOD] /path[*] => [status] [x2] [key=value …]'; values with spaces in "quotes". */
export function parseRule(text: string): Rule {
  const arrow = text.indexOf('=>')
  if (arrow === -1) {
    throw new UsageError(`'${text}' has no '=>': write it like 'POST /pay => 503 x2'`)
  }
  const words = text.slice(arrow + 2).match(/(?:[^\s"]|"[^"]*")+/g)
  if (!words) throw new UsageError(`'${text}' says nothing after '=>'`)
  const rule: Record<string, unknown> = { ...parseMatch(text.slice(0, arrow)) }
  const headers: Pair[] = []
  for (const word of words.map((each) => each.replaceAll('"', ''))) {
    // A status and x2 are short for a key and a value.
    const spelled = word.replace(/^(?=\d{3}$)/, 'status=').replace(/^x(?=\d+$)/, 'times=')
    const [key, value] = spelled.split(/=(.*)/s)
    if (value === undefined) throw new UsageError(`'${word}' is not a status, x2 or key=value`)
    if (key === 'header') headers.push(parseHeader(value))
    else rule[key] = key === 'body' ? readBody(value) : value
  }
  return headers.length > 0 ? { ...rule, headers } : rule
}

/** The rules of a JSON file that holds a list of rule objects. */
export const readRules = (file: string): Rule[] =>
  attempt(`the rules in ${file} cannot be read`, () => {
    const rules: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!Array.isArray(rules)) throw new Error('it holds no list of rules')
    return rules as Rule[]
  })

/** Reads 'name: value'; the value may hold colons. */
export function parseHeader(text: string): Pair {
  const colon = text.indexOf(':')
  if (colon < 1) throw new UsageError(`'${text}' is not a header: write it like 'X-Name: value'`)
  return checkHeader([text.slice(0, colon).trim(), text.slice(colon + 1).trim()])
}

/** Refuses names and values that would break out of the header, and the framing that is ours. */
function checkHeader(pair: Pair): Pair {
  const [name, value] = pair
  validateHeaderName(name)
  validateHeaderValue(name, value)
  if (/^(content-length|transfer-encoding|connection)$/i.test(name)) {
    throw new UsageError(`${name} follows from the answer and cannot be set`)
  }
  return pair
}

/** A body given as text, or as @file. */
export const readBody = (text: string): Buffer =>
  text.startsWith('@')
    ? attempt('the body cannot be read', () => readFileSync(text.slice(1)))
    : Buffer.from(text)

/** A final status that can be sent. */
export const readStatus = wholeNumber(200, 599, 'a status')

/** Reads the headers of an answer, given as an object or as pairs. */
export function readHeaders(given: Readonly<Record<string, string>> | readonly Pair[]) {
  const headers = Array.isArray(given) ? (given as Pair[]) : Object.entries(given)
  return headers.map(checkHeader)
}

/** How each key of a rule is read, whether a program, a JSON file or a command line gives it. */
const READERS = {
  method: text,
  /** '/pay', '/hooks/*' or '*'; the query is ignored. */
  path: text,
  status: readStatus,
  /** As an object or, where order or repetition matters, as pairs. */
  headers: readHeaders,
  body: bytes,
  /** Milliseconds, or a text like '300ms' or '2s'. */
  delay: parseDuration,
  fault: oneOf(FAULTS, 'a fault: '),
  /** How many answers the rule gives before it steps aside. */
  times: wholeNumber(1, 1e9),
  /** The share of requests it answers: 0.1, or '10%'. */
  rate: reader('a rate: write it like 10% or 0.1', (rate: number | string) =>
    within(0, Number(String(rate).replace(/%$/, '')) / (/%$/.test(String(rate)) ? 100 : 1), 1),
  ),
  /** Makes the choice behind `rate` the same in every run. */
  seed: wholeNumber(0, 2 ** 32),
}

/** What to answer to which requests. A rule without method or path fits all of them. */
export type Rule = Given<typeof READERS>
export type RuleValues = Values<typeof READERS>

/** Reads the values of a rule; throws UsageError naming what is wrong. */
export const readRule = (rule: Rule): RuleValues => readFields('a rule', READERS, rule)

/** A test for the requests that a rule answers; each one that passes counts as one of its `times`. */
export function ruleTest({ method = '', path = '*', times, rate = 1, seed }: RuleValues) {
  const match = parseMatch(`${method} ${path}`)
  const random = seed === undefined ? Math.random : seeded(seed)
  let left = times ?? Infinity
  return (request: { method: string; url: string }): boolean =>
    matches(match, request) && left > 0 && (rate === 1 || random() < rate) && left-- > 0
}

/** A repeatable sequence of numbers from 0 to 1. */
function seeded(seed: number): () => number {
  const { createHash } = process.getBuiltinModule('node:crypto')
  let drawn = 0
  return () => createHash('sha256').update(`${seed} ${drawn++}`).digest().readUInt32BE() / 2 ** 32
}
