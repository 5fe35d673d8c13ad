/**
 * Binds the times that a statement's text holds. SQLite compiles a text once for as long as it is asked the same, and what a
 * page asks takes several times longer to compile than to run: with the present written out it would be another text each time.
 */

import { integerOf } from './encoding.ts'
import { LONGEST_STATEMENT, MOST_PARAMETERS } from './limits.ts'
import type { Parameter, Statement } from './statement.ts'

/** Digits of a time in ms, and of a key. Shorter numbers, such as those of hours, stay the same for long. */
const [LEAST_DIGITS, MOST_DIGITS] = [13, 16]
const HAS_TIME = /\d{13}/
/** A text, a name, a parameter, or the digits of a time. */
const TOKEN = /'[^']*'|"[^"]*"|\?|\d{13,16}/g
const PARAMETER = 0x3f

/** The statement with each time as a parameter, where it has times, and D1 takes so many parameters and so long a text. */
export function withBoundTimes(statement: Statement): Statement {
  const { sql: text, params } = statement
  if (!HAS_TIME.test(text)) return statement
  const isNumbered = /\?\d/.test(text)
  const bound: Parameter[] = isNumbered ? [...params] : []
  const numbers = new Map<string, number>()
  let [sql, written, given] = ['', 0, 0]
  TOKEN.lastIndex = 0
  // Without an object for each token, of which a page has thousands.
  while (TOKEN.test(text)) {
    const end = TOKEN.lastIndex
    const last = text.charCodeAt(end - 1)
    // A bare parameter gets the number after the greatest before it.
    if (last === PARAMETER && !isNumbered) bound.push(params[given++]!)
    if (!isDigit(last)) continue
    const from = firstDigit(text, end - LEAST_DIGITS)
    if (!isTime(text, from, end)) continue
    const time = text.slice(from, end)
    const number = numbers.get(time) ?? bound.push(Number(time))
    numbers.set(time, number)
    sql += text.slice(written, from) + integerOf(`?${number}`)
    written = end
  }
  sql += text.slice(written)
  return bound.length > MOST_PARAMETERS || sql.length > LONGEST_STATEMENT
    ? statement
    : { sql, params: bound }
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

function firstDigit(text: string, at: number): number {
  let first = at
  while (isDigit(text.charCodeAt(first - 1))) first--
  return first
}

/** Whether digits are a number by themselves. Negative ones are bounds, not times. */
const isTime = (text: string, from: number, end: number): boolean =>
  end - from <= MOST_DIGITS &&
  !/[-\w.]/.test(text.charAt(from - 1)) &&
  !/[\w.]/.test(text.charAt(end))
