// Conditions on a request, as programs and flags write them, and why a request does not fulfil them.
import { METHODS } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { headersOf, parseJson, queryOf } from './content.js'
import { reasonOf, refuse, suggestion } from './errors.js'
import { isObject, ofKind, reader, readFields, text, type Values } from './fields.js'
import type { CapturedRequest } from './request.js'
import { safeLine } from './show/safe-text.js'

/** A matcher of Vitest, Jest or Sinon, such as expect.stringContaining('a'). */
export interface Matcher {
  asymmetricMatch(actual: unknown): boolean
  /** What it takes, for messages. */
  toAsymmetricMatcher?(): string
}
/** What a text has to be: exactly that, or what a pattern or a matcher takes. */
export type WantedText = string | RegExp | Matcher
type WantedTexts = Readonly<Record<string, WantedText>>

const isMatcher = (value: unknown): value is Matcher =>
  typeof (value as Partial<Matcher> | null)?.asymmetricMatch === 'function'

const isWantedText = (given: unknown) =>
  typeof given === 'string' || given instanceof RegExp || isMatcher(given)
const readWantedText = ofKind<WantedText>('a text, a pattern or a matcher', isWantedText)
const readWantedTexts = ofKind<WantedTexts>(
  "an object of texts, patterns or matchers: write it like { name: 'text' }",
  (given) => isObject(given) && Object.values(given).every(isWantedText),
)

const HOW_PATH = "write it like '/pay' or '/hooks/*', without a query"
/** Reads a path: '/pay', '/hooks/*' or '*'; the query is no part of it. */
const readPath = reader(`a path: ${HOW_PATH}`, (given: string | RegExp) =>
  given instanceof RegExp || /^(\*|\/[^\s*?]*\*?)$/.test(given) ? given : undefined,
)

/** Reads a method, in capitals or not. No other one can arrive: the parser refuses it. */
function readMethod(given: string): string {
  const method = text(given).toUpperCase()
  if (METHODS.includes(method)) return method
  refuse(`'${method}' is not a method of HTTP${suggestion(method, METHODS)}`)
}

/** Refuses numbers that JavaScript takes for their neighbours as well; gives all else as it is. */
function refuseInexact(given: unknown): unknown {
  if (Number.isInteger(given) && !Number.isSafeInteger(given)) {
    refuse(`${given as number} equals other numbers in JavaScript: give a pattern for 'text'`)
  }
  if (isObject(given) || Array.isArray(given)) Object.values(given).forEach(refuseInexact)
  return given
}

/** How each condition is read. */
export const CONDITIONS = {
  /** In capitals or not. */
  method: readMethod,
  /** '/pay', '/hooks/*' or a pattern. */
  path: readPath,
  /** Parameters of the query by their names. */
  query: readWantedTexts,
  /** Headers by their names, in any case. */
  headers: readWantedTexts,
  /** The body: objects may have more keys; numbers, texts and lists must be equal, but for matchers. */
  json: refuseInexact,
  /** The body as text. */
  text: readWantedText,
}

/** What a request has to be: everything given must hold. */
export type Conditions = {
  readonly [Key in keyof typeof CONDITIONS]?: Parameters<(typeof CONDITIONS)[Key]>[0]
}
/** Says whether a request is wanted; may be async. */
type Predicate = (request: CapturedRequest) => boolean | Promise<boolean>
/** Which requests are wanted. */
export type Wanted = Conditions | Predicate

/**
 * Reads conditions; throws UsageError on an unknown key, and on one that is undefined, which would
 * be fulfilled by every request. `owner` begins those sentences.
 */
export function readConditions(owner: string, given: Conditions): Values<typeof CONDITIONS> {
  const read = readFields(owner, CONDITIONS, given)
  const missing = Object.keys(given).find((key) => !Object.hasOwn(read, key))
  if (missing) refuse(`${missing} is undefined: every request would fit`)
  return read
}

/** Why a request is not what is wanted, and how many conditions hold before that. */
export type Miss = Readonly<{ kept: number; reason: string }>

/** The first condition that a request does not fulfil; null when it fulfils all of them. */
export function missOf(conditions: Conditions, request: CapturedRequest): Miss | null {
  let kept = 0
  try {
    for (const reason of checks(conditions, request)) {
      if (reason !== null) return { kept, reason }
      kept++
    }
    return null
  } catch (thrown) {
    return { kept, reason: `the body is not JSON: ${reasonOf(thrown)}` }
  }
}

/** The same for whatever is wanted; waits for a function. Never rejects. */
export async function missOfWanted(wanted: Wanted, request: CapturedRequest): Promise<Miss | null> {
  const no = (reason: string): Miss => ({ kept: 0, reason })
  if (typeof wanted !== 'function') return missOf(wanted, request)
  try {
    return (await wanted(request)) ? null : no('the predicate gave false')
  } catch (thrown) {
    return no(`the predicate threw: ${reasonOf(thrown)}`)
  }
}

/** Why each condition does not hold, null where it does: method, path, query, headers, json, text. */
function* checks(wanted: Conditions, request: CapturedRequest): Generator<string | null> {
  const { method = request.method, path = '*', query = {}, headers = {}, json } = wanted
  yield difference('method', request.method, method)
  yield pathMatches(path, request.path) ? null : difference('path', request.path, path)
  const fields = queryOf(request.url)
  for (const [name, value] of Object.entries(query)) {
    const values = fields.flatMap(([key, each]) => (key === name ? [each] : []))
    yield differenceOfAny(`query ${name}`, values, value)
  }
  for (const [name, value] of Object.entries(headers)) {
    yield differenceOfAny(`header ${name}`, headersOf(request.headers, name), value)
  }
  if (json !== undefined) yield difference('json', request.json(), json)
  if (wanted.text !== undefined) yield difference('text', request.text(), wanted.text)
}

function pathMatches(pattern: string | RegExp, path: string): boolean {
  if (typeof pattern !== 'string') return path.search(pattern) !== -1
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}

/** Null where one of the values is as expected; a header may come more than once. */
function differenceOfAny(where: string, actual: readonly string[], expected: WantedText) {
  const found = actual.map((value) => difference(where, value, expected))
  return found.includes(null) ? null : (found[0] ?? difference(where, undefined, expected))
}

const shown = (value: unknown) => safeLine(JSON.stringify(value) ?? 'missing').slice(0, 200)

/** Where `actual` is not as expected: objects may have more keys, also those in lists. */
function difference(where: string, actual: unknown, expected: unknown): string | null {
  const unless = (isSame: boolean, wanted: () => string) =>
    isSame ? null : `${where} is ${shown(actual)}, not ${wanted()}`
  if (isMatcher(expected)) {
    const wanted = () => expected.toAsymmetricMatcher?.() ?? 'what the matcher takes'
    return unless(expected.asymmetricMatch(actual), () => safeLine(wanted()).slice(0, 200))
  }
  if (expected instanceof RegExp) {
    const isLike = typeof actual === 'string' && actual.search(expected) !== -1
    return unless(isLike, () => `like ${expected}`)
  }
  const isList = Array.isArray(actual)
  const areLists = isList && Array.isArray(expected) && actual.length === expected.length
  // An object in place of a list names some of its places: { 0: … }.
  if (areLists || ((isObject(actual) || isList) && isObject(expected))) {
    for (const [key, value] of Object.entries(expected as object)) {
      const each = (actual as Record<string, unknown>)[key]
      const found = difference(`${where}.${key}`, each, value)
      if (found !== null) return found
    }
    return null
  }
  return unless(isDeepStrictEqual(actual, expected), () => shown(expected))
}

const HOW = "[METHOD] /path: write it like 'POST /pay', '/hooks/*' or '/hooks json.type=paid'"

/** A word of a rule: a name alone, or a name with its value, quotes taken off. */
export type Word = Readonly<{ name: string; value: string | null }>

/**
 * Splits text at blanks into words, `name` or `name=value`. A value that begins with a double quote
 * goes to the next one (\" is a quote inside it); one that begins as JSON goes to the end of that.
 */
export function splitWords(text: string): Word[] {
  const words: Word[] = []
  for (let left = text.trimStart(); left !== ''; left = left.trimStart()) {
    const [start, name, equals] = /^([^\s=]*)(=?)/.exec(left)!
    left = left.slice(start.length)
    if (equals === '') {
      words.push({ name, value: null })
      continue
    }
    const [quotes, quoted] = /^"((?:[^"\\]|\\.)*)"(?=\s|$)/s.exec(left) ?? []
    if (!quotes && left.startsWith('"')) refuse(`the quotes of ${name}= do not close`)
    const value = quotes ?? jsonAtStart(left) ?? /^\S*/.exec(left)![0]
    words.push({ name, value: quoted?.replace(/\\(["\\])/g, '$1') ?? value })
    left = left.slice(value.length)
  }
  return words
}

/** The JSON object or list that a text begins with, if it does. */
function jsonAtStart(text: string): string | undefined {
  if (!/^[{[]/.test(text)) return undefined
  const ends = Array.from(text.matchAll(/(?<=[}\]])(?=\s|$)/g), ({ index }) => index)
  const texts = ends.map((end) => text.slice(0, end))
  return texts.find((each) => parseJson(each) !== undefined)
}

/**
 * Reads '[METHOD] [/path[*]] [header.NAME=value] [query.NAME=value] [json.KEY.KEY=value]'. A value
 * that ends with * is the beginning of what is wanted; * alone, that there is any.
 */
export function parseMatch(text: string): Conditions {
  const [head, method, path] =
    /^\s*(?:([A-Za-z-]+)(?=\s|$))?\s*(?:(\*|\/[^\s*]*\*?)(?=\s|$))?/.exec(text) ?? []
  const words = splitWords(text.slice(head?.length ?? 0))
  if (!method && !path && words.length === 0) refuse(`'${text}' is not ${HOW}`)
  const conditions = { ...(method && { method }), ...(path && { path }) }
  for (const { name, value } of words) {
    const [, kind, key] = /^(header|query|json)\.(.+)$/.exec(name) ?? []
    if (value === null || kind === undefined) refuse(`'${text}' is not ${HOW}`)
    const place = kind === 'json' ? name.split('.') : [kind === 'header' ? 'headers' : kind, key]
    setAt(conditions, place, textMatcher(value))
  }
  return readConditions('a match', conditions)
}

export type Tree = Record<string, unknown>

/** Sets the value at a place, given by keys; refuses a second one there. */
export function setAt(target: Tree, [key, ...rest]: readonly string[], value: unknown) {
  const held = target[key]
  if (rest.length === 0 ? held : isMatcher(held)) refuse(`two values are for ${key}`)
  if (rest.length === 0) target[key] = value
  else setAt((target[key] ??= Object.create(null)) as Tree, rest, value)
}

/** A value written in a flag, where 12 may mean the number or the text. */
const textMatcher = (text: string): Matcher => ({
  asymmetricMatch(actual) {
    if (text === '*') return actual !== undefined
    if (typeof actual === 'string') {
      return text.endsWith('*') ? actual.startsWith(text.slice(0, -1)) : actual === text
    }
    // Beyond this, JavaScript takes different numbers for the same.
    if (typeof actual === 'number' && Math.abs(actual) > Number.MAX_SAFE_INTEGER) return false
    return actual !== undefined && JSON.stringify(actual) === text
  },
  toAsymmetricMatcher: () => JSON.stringify(text),
})
