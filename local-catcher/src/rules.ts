import { readFileSync } from 'node:fs'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { pathOf, type Pair } from './content.js'
import { nearest, reasonOf, UsageError } from './errors.js'
import type { Fault } from './request.js'
import { parseDuration } from './units.js'

const FAULTS: readonly Fault[] = ['reset', 'close', 'hang', 'truncate']

/** Headers as an object or, where order or repetition matters, as pairs. */
export type HeadersInput = Readonly<Record<string, string>> | readonly Pair[]

/** What to answer to which requests. A rule without method or path fits all of them. */
export interface Rule {
  readonly method?: string
  /** '/pay', '/hooks/*' or '*'; the query is ignored. */
  readonly path?: string
  readonly status?: number
  readonly headers?: HeadersInput
  readonly body?: string | Uint8Array
  /** Milliseconds, or a text like '300ms' or '2s'. */
  readonly delay?: number | string
  readonly fault?: Fault
  /** How many answers the rule gives before it steps aside. */
  readonly times?: number
  /** The share of requests it answers: 0.1, or '10%'. */
  readonly rate?: number | string
  /** Makes the choice behind `rate` the same in every run. */
  readonly seed?: number
}

/** A method, or '' for any, and a path pattern: what `--filter` and the left of a rule say. */
export interface Match {
  readonly method: string
  readonly path: string
}

/** Reads '[METHOD] /path[*]'. */
export function parseMatch(text: string): Match {
  const words = text.trim().split(/\s+/)
  const path = words.pop()!
  const method = words.pop() ?? ''
  if (words.length > 0 || !/^(\/|\*)/.test(path) || !/^[A-Za-z-]*$/.test(method)) {
    throw new UsageError(`'${text}' is not [METHOD] /path: write it like 'POST /pay' or '/hooks/*'`)
  }
  return { method: method.toUpperCase(), path }
}

/** Whether a request is one of those; `*` in the path stands for any characters. */
export const matches = (match: Match, { method, url }: { method: string; url: string }): boolean =>
  (match.method === '' || match.method === method) && pathMatches(match.path, pathOf(url))

/** Walks the pattern once, so that no pattern is slow. */
export function pathMatches(pattern: string, path: string): boolean {
  const [first, ...rest] = pattern.split('*') as [string, ...string[]]
  const last = rest.pop()
  if (last === undefined) return path === pattern
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = path.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return path.length - last.length >= at && path.endsWith(last)
}

/** Reads '[METHOD] /path[*] => [status] [x2] [key=value …]'; values with spaces in "quotes". */
export function parseRule(text: string): Rule {
  const arrow = text.indexOf('=>')
  if (arrow === -1)
    throw new UsageError(`'${text}' has no '=>': write it like 'POST /pay => 503 x2'`)
  const rule: Record<string, unknown> = { ...parseMatch(text.slice(0, arrow)) }
  const words = text.slice(arrow + 2).match(/(?:[^\s"]|"[^"]*")+/g) ?? []
  if (words.length === 0) throw new UsageError(`'${text}' says nothing after '=>'`)
  const headers: Pair[] = []
  for (const word of words) {
    const [key, ...rest] = word.split('=') as [string, ...string[]]
    const value = rest.join('=').replaceAll('"', '')
    if (/^\d{3}$/.test(word)) rule.status = Number(word)
    else if (/^x\d+$/.test(word)) rule.times = Number(word.slice(1))
    else if (rest.length === 0) throw new UsageError(`'${word}' is not a status, x2 or key=value`)
    else if (key === 'header') headers.push(parseHeader(value))
    else if (key === 'body') rule.body = readBody(value)
    else rule[key] = ['status', 'times', 'seed'].includes(key) ? Number(value) : value
  }
  return headers.length > 0 ? { ...rule, headers } : rule
}

/** The rules of a JSON file that holds a list of rule objects. */
export function readRules(file: string): Rule[] {
  try {
    const rules: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!Array.isArray(rules)) throw new Error('it holds no list of rules')
    return rules as Rule[]
  } catch (thrown) {
    throw new UsageError(`the rules in ${file} cannot be read: ${reasonOf(thrown)}`)
  }
}

/** Reads 'name: value'; the value may hold colons. */
export function parseHeader(text: string): Pair {
  const colon = text.indexOf(':')
  if (colon < 1) throw new UsageError(`'${text}' is not a header: write it like 'X-Name: value'`)
  return checkHeader([text.slice(0, colon).trim(), text.slice(colon + 1).trim()])
}

/** Refuses names and values that would break out of the header, and the framing that is ours. */
function checkHeader(pair: Pair): Pair {
  const [name, value] = pair
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch (thrown) {
    throw new UsageError(reasonOf(thrown))
  }
  if (/^(content-length|transfer-encoding|connection)$/i.test(name)) {
    throw new UsageError(`${name} follows from the answer and cannot be set`)
  }
  return pair
}

/** A body given as text, or as @file. */
export function readBody(text: string): Buffer {
  if (!text.startsWith('@')) return Buffer.from(text)
  try {
    return readFileSync(text.slice(1))
  } catch (thrown) {
    throw new UsageError(`the body cannot be read: ${reasonOf(thrown)}`)
  }
}

/** A final status that can be sent. */
export function checkStatus(status: number): number {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status
  throw new UsageError(`${status} is not a status from 200 to 599`)
}

export const headerPairs = (headers: HeadersInput): readonly Pair[] =>
  (Array.isArray(headers) ? (headers as Pair[]) : Object.entries(headers)).map(checkHeader)

export const milliseconds = (delay: number | string): number => {
  if (typeof delay === 'string') return parseDuration(delay)
  if (delay >= 0 && delay < 2 ** 31) return delay
  throw new UsageError(`${delay} is not a delay in milliseconds`)
}

const KEYS = 'method path status headers body delay fault times rate seed'.split(' ')

export type ReadyRule = ReturnType<typeof readyRule>

/** Checks a rule from any of its three entrances; throws UsageError naming what is wrong. */
export function readyRule(rule: Rule) {
  for (const key of Object.keys(rule)) {
    if (KEYS.includes(key)) continue
    const near = nearest(key, KEYS)
    throw new UsageError(`a rule has no '${key}'${near ? `: did you mean '${near}'?` : ''}`)
  }
  const { status, headers, body, delay, fault, times = Infinity, seed } = rule
  if (fault !== undefined && !FAULTS.includes(fault)) {
    throw new UsageError(`'${fault}' is not a fault: ${FAULTS.join(', ')}`)
  }
  if (times !== Infinity && !(Number.isInteger(times) && times > 0)) {
    throw new UsageError(`times is a count of at least 1, not ${times}`)
  }
  const rate = readRate(rule.rate ?? 1)
  const random = seed === undefined ? Math.random : seeded(seed)
  let left = times
  return {
    ...parseMatch(`${rule.method ?? ''} ${rule.path ?? '*'}`),
    status: status && checkStatus(status),
    headers: headerPairs(headers ?? []),
    body: body === undefined ? undefined : Buffer.from(body as string),
    delay: delay === undefined ? undefined : milliseconds(delay),
    fault: fault ?? null,
    /** Whether it takes a request that matches, which counts as one of its `times`. */
    take: () => left > 0 && (rate === 1 || random() < rate) && left-- > 0,
  }
}

function readRate(rate: number | string): number {
  const percent = typeof rate === 'string' && rate.endsWith('%')
  const share = percent ? Number(rate.slice(0, -1)) / 100 : Number(rate)
  if (share >= 0 && share <= 1) return share
  throw new UsageError(`'${rate}' is not a rate: write it like 10% or 0.1`)
}

/** A repeatable sequence of numbers from 0 to 1 (mulberry32, public domain). */
function seeded(seed: number): () => number {
  if (!Number.isInteger(seed)) throw new UsageError(`'${seed}' is not a whole number as seed`)
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
