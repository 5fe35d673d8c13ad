// Rules: which requests get which answer, as flags, JSON files and programs write them.
import { readFileSync } from 'node:fs'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { CONDITIONS, missOf, parseMatch, readConditions, setAt, splitWords } from './conditions.js'
import type { Conditions, Tree } from './conditions.js'
import type { Pair } from './content.js'
import { attempt, refuse } from './errors.js'
import { bytes, listOf, reader, readFields, spell } from './fields.js'
import type { Given, Values } from './fields.js'
import { FAULTS, type CapturedRequest } from './request.js'
import { oneOf, parseDuration, wholeNumber, within } from './values.js'

/** Reads '[METHOD] /path[*] [json.key=value …] => [status] [x2] [key=value …]'. */
export function parseRule(given: string): RuleValues {
  // Quoted text, also in JSON, may hold one.
  const quoted = /(?<=[=[{:,]\s*)"(?:[^"\\]|\\.)*"/gs
  const arrow = given.replace(quoted, ({ length }) => '_'.repeat(length)).indexOf('=>')
  if (arrow === -1) refuse(`'${given}' has no '=>': write it like 'POST /pay => 503 x2'`)
  const headers: Pair[] = []
  const when = parseMatch(given.slice(0, arrow))
  const { method, path } = when
  const rule: Tree = { method, path, when, headers }
  const words = splitWords(given.slice(arrow + 2))
  if (words.length === 0) refuse(`'${given}' says nothing after '=>'`)
  for (const { name, value } of words) {
    if (value !== null) {
      if (name === 'header') headers.push(parseHeader(value))
      else setAt(rule, [name], name === 'body' ? readBody(value) : value)
    } else if (/^\d{3}$/.test(name)) setAt(rule, ['status'], name)
    else if (/^x\d+$/.test(name)) setAt(rule, ['times'], name.slice(1))
    else refuse(`'${name}' is not a status, x2 or key=value`)
  }
  return attempt(`'${given}'`, () => readRule(rule))
}

/** The rules of a JSON file that holds a list of rule objects. */
export const readRules = (file: string): readonly RuleValues[] =>
  attempt(`the rules in ${file} cannot be read`, () =>
    listOf(readRule)(JSON.parse(readFileSync(file, 'utf8')) as Rule[]),
  )

/** Reads 'name: value'; the value may hold colons. */
export function parseHeader(text: string): Pair {
  const [, name, value] = /^[ \t]*([^:]+?)[ \t]*:[ \t]*(.*?)[ \t]*$/s.exec(text) ?? []
  if (name) return checkHeader([name, value])
  refuse(`'${text}' is not a header: write it like 'X-Name: value'`)
}

/** Refuses names and values that would break out of the header, and the framing that is ours. */
function checkHeader(pair: Pair): Pair {
  if (!Array.isArray(pair) || pair.length !== 2) {
    refuse(`${spell(pair)} is not a pair of name and value`)
  }
  const [name, value] = pair
  validateHeaderName(name)
  validateHeaderValue(name, value)
  if (/^(content-length|transfer-encoding|connection)$/i.test(name)) {
    refuse(`${name} follows from the answer and cannot be set`)
  }
  return [name, String(value)]
}

type GivenHeaders = Readonly<Record<string, string>> | readonly Pair[]

/** Reads the headers of an answer, given as an object or as pairs. */
export function readHeaders(given: GivenHeaders): readonly Pair[] {
  if (typeof given !== 'object' || given === null) {
    refuse(`${spell(given)} is not headers: write them like { 'X-Name': 'value' }`)
  }
  const headers = Array.isArray(given) ? (given as Pair[]) : Object.entries(given)
  return headers.map(checkHeader)
}

/** A body given as text, or as @file. */
export const readBody = (text: string): Buffer =>
  text.startsWith('@')
    ? attempt('the body cannot be read', () => readFileSync(text.slice(1)))
    : Buffer.from(text)

/** A final status that can be sent. */
export const readStatus = wholeNumber(200, 599, 'a status')

/** How each key of a rule is read, whether a program, a JSON file or a command line gives it. */
const READERS = {
  method: CONDITIONS.method,
  /** '/pay', '/hooks/*', '*' or a pattern; the query is ignored. */
  path: CONDITIONS.path,
  /** What else a request has to be: conditions as for waitFor. */
  when: (given: Conditions) => readConditions('when', given),
  status: readStatus,
  /** As an object or, where order or repetition matters, as pairs. */
  headers: readHeaders,
  body: bytes,
  /** Milliseconds, or a text like '300ms' or '2s'. */
  delay: parseDuration,
  fault: oneOf(FAULTS, 'a fault: '),
  /** How many answers the rule gives before it steps aside. */
  times: wholeNumber(1, 1e9),
  /** The share of requests it answers: 0.1, or '10%', is every tenth. */
  rate: reader('a rate: write it like 10% or 0.1', (rate: number | string) =>
    within(0, Number(String(rate).replace(/%$/, '')) / (/%$/.test(String(rate)) ? 100 : 1), 1),
  ),
}

/** What to answer to which requests. A rule without method, path and when fits all of them. */
export type Rule = Given<typeof READERS>
export type RuleValues = Values<typeof READERS>

// RFC 9110, 15.3.5 and 15.4.5: these end with the headers.
export const isBodyless = (status: number) => status === 204 || status === 304

type Answering = Pick<RuleValues, 'status' | 'body'>

/** Refuses a body for a status that has none. */
export function checkBody<Answer extends Answering>(answer: Answer): Answer {
  const { status = 200, body } = answer
  if (isBodyless(status) && body?.length) refuse(`an answer with status ${status} has no body`)
  return answer
}

/** Reads the values of a rule; throws UsageError naming what is wrong. */
export const readRule = (rule: Rule): RuleValues => checkBody(readFields('a rule', READERS, rule))

/** A rule at work: whether it answers a request, which then counts as one of its `times`. */
export function ruleTest({ method, path, when = {}, times, rate = 1 }: RuleValues) {
  const conditions = { ...(method && { method }), ...(path && { path }) }
  let left = times ?? Infinity
  let seen = 0
  return (request: CapturedRequest): boolean => {
    if (left <= 0 || missOf(conditions, request) || missOf(when, request)) return false
    // One more each time that the shares add up to a whole.
    if (Math.floor(seen++ * rate) === Math.floor(seen * rate)) return false
    left--
    return true
  }
}
