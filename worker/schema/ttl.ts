/** Reads retention ages as PuppetDB writes them, and rules that give some reports another age. */

import { suggestion } from '../lib/nearest.ts'
import { DAY, HOUR, MINUTE } from '../lib/time.ts'

const UNITS: Readonly<Record<string, number>> = {
  d: DAY,
  h: HOUR,
  m: MINUTE,
  s: 1000,
  ms: 1,
}

/** A longer age would reach back further than any report. */
const LONGEST_MS = 1000 * 365 * UNITS['d']!

/**
 * The milliseconds of a duration such as `14d`, `12h`, `90m`, `30s`, `500ms`; 0 of any unit means never.
 * Source: PuppetDB's documentation of its `[database]` settings.
 *
 * @throws Error that quotes the text and suggests a right one
 */
export function readDuration(text: string): number {
  const match = /^(\d+)([a-z]*)$/.exec(text.trim())
  const unit = match ? UNITS[match[2]!] : undefined
  if (match && (unit !== undefined || (match[2] === '' && Number(match[1]) === 0))) {
    const milliseconds = Number(match[1]) * (unit ?? 0)
    if (milliseconds > LONGEST_MS) throw new Error(`"${text}" is more than a thousand years`)
    return milliseconds
  }
  const meant = /^\s*(\d+)\s*([dhms])/i.exec(text)
  throw new Error(
    `"${text}" isn't a duration: a whole number and one of ${Object.keys(UNITS).join(', ')} is needed, ${meant ? `perhaps ${meant[1]}${meant[2]!.toLowerCase()}` : 'such as 14d'}; 0 is never`,
  )
}

/** The fields of a report that a rule can test. */
export const TTL_FIELDS = ['status', 'environment'] as const
export type TtlField = (typeof TTL_FIELDS)[number]

export interface TtlCondition {
  readonly field: TtlField
  readonly value: string
}

/** Keeps reports that meet all conditions for `ttl` ms; 0 means forever. */
export interface TtlRule {
  readonly conditions: readonly TtlCondition[]
  readonly ttl: number
}

/** The statuses that agents send. */
const STATUSES = ['failed', 'changed', 'unchanged']
/** Most rules: each rule is another test of the reports that later rules apply to. */
const MOST_RULES = 20

/** The conditions of a rule as text. */
export const conditionsText = (conditions: readonly TtlCondition[]): string =>
  conditions.map(({ field, value }) => `${field}=${value}`).join(',')

/**
 * Reads rules such as `status=failed:60d environment=production:30d`, separated by spaces. The first rule that
 * fits a report applies; `status=failed,environment=test:5d` needs both.
 *
 * @throws Error that quotes the wrong piece and says how to write it
 */
export function readTtlRules(text: string): TtlRule[] {
  const pieces = text.split(/\s+/).filter((piece) => piece !== '')
  if (pieces.length > MOST_RULES)
    throw new Error(`there may be ${MOST_RULES} rules, these are ${pieces.length}`)
  return pieces.map(readRule)
}

function readRule(piece: string): TtlRule {
  const colon = piece.lastIndexOf(':')
  if (colon < 0) throw new Error(`"${piece}" lacks its age: write it as ${piece}:60d`)
  const conditions = piece
    .slice(0, colon)
    .split(',')
    .map((text) => readCondition(piece, text))
  if (new Set(conditions.map(({ field }) => field)).size < conditions.length) {
    throw new Error(`"${piece}" asks the same field twice, which no report meets`)
  }
  try {
    return { conditions, ttl: readDuration(piece.slice(colon + 1)) }
  } catch (error) {
    throw new Error(`in "${piece}", ${(error as Error).message}`)
  }
}

function readCondition(piece: string, text: string): TtlCondition {
  const [name, value, ...more] = text.split('=')
  const field = TTL_FIELDS.find((one) => one === name)
  if (value === undefined || value === '' || more.length > 0) {
    const meant = STATUSES.includes(text) ? `status=${text}` : `environment=${text || 'production'}`
    throw new Error(`in "${piece}", "${text}" isn't a condition: write it as ${meant}`)
  }
  if (field === undefined) {
    throw new Error(
      `in "${piece}", "${name}" isn't one of ${TTL_FIELDS.join(', ')}.${suggestion(name!, TTL_FIELDS)}`,
    )
  }
  if (field === 'status' && !STATUSES.includes(value)) {
    throw new Error(
      `in "${piece}", no report has the status "${value}": it is one of ${STATUSES.join(', ')}.${suggestion(value, STATUSES)}`,
    )
  }
  return { field, value }
}
