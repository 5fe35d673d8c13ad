/**
 * How values are stored, each encoding once: its SQL beside its TypeScript. An SQL encoding takes text
 * and gives text, or takes fragments or columns and gives a fragment. Times are ms since 1970, UTC.
 * test/house/encoding.test.ts finds copies.
 */

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { DAY, HOUR } from '../lib/time.ts'
import { FURTHEST_MS, SLOTS } from '../schema/key.ts'

type Fragment = SQL | SQLiteColumn

/** SQL of one operand, an atom or in parentheses: `$1` in the template. */
function encoding(template: string): {
  (operand: string): string
  (operand: Fragment): SQL
} {
  return filled(template)
}

/** The same of two operands, `$1` and `$2`. */
function encodingOfTwo(template: string): {
  (first: string, second: string): string
  (first: Fragment, second: Fragment): SQL
} {
  return filled(template)
}

function filled(template: string) {
  const pieces = template
    .split(/(\$\d)/)
    .map((piece) => (piece.startsWith('$') ? Number(piece.slice(1)) - 1 : piece))
  function fill(...operands: readonly string[]): string
  function fill(...operands: readonly Fragment[]): SQL
  function fill(...operands: readonly (string | Fragment)[]): string | SQL {
    if (typeof operands[0] === 'string') {
      return pieces.map((piece) => (typeof piece === 'number' ? operands[piece] : piece)).join('')
    }
    const chunks = pieces.map((piece) =>
      typeof piece === 'number' ? sql`${operands[piece]}` : sql.raw(piece),
    )
    return sql.join(chunks)
  }
  return fill
}

// Integers. D1 binds every number as REAL, which loses the last digits of a key.

/** A parameter as the integer that it is: `integerOf('?1')`. */
export const integerOf = encoding('cast($1 as integer)')

/**
 * A count for LIMIT or OFFSET. SQLite prepares a statement again whenever a bare parameter is bound there, to plan by its value;
 * that takes longer than most pages.
 */
export const rowCount = (count: number): SQL => integerOf(sql`${count}`)

/** An integer as SQL text, which needs no parameter. */
export const literal = (value: number): SQL => sql.raw(String(value))

// Keys of reports (schema/key.ts): a millisecond and a slot within it.

/** The millisecond of a key. */
export const millisecondOfKey = encoding(`($1 >> ${Math.log2(SLOTS)})`)
export const keyMilliseconds = (key: number): number => Math.floor(key / SLOTS)

/** The least key of a millisecond. */
export const firstKeyOf = encoding(`($1 * ${SLOTS})`)
export const firstKey = (milliseconds: number): number => milliseconds * SLOTS

/** The greatest key of a millisecond. */
export const lastKeyOf = encoding(`($1 * ${SLOTS} + ${SLOTS - 1})`)
export const lastKey = (milliseconds: number): number => firstKey(milliseconds + 1) - 1

/** The millisecond whose slots a report of this producer timestamp is filed under; in TypeScript `keyMillisecond` of schema/key.ts. */
export const keyMillisecondOf = encoding(`max(-${FURTHEST_MS}, min(${FURTHEST_MS}, $1))`)

/** A report's producer timestamp, from the exact time, which is stored only where the key can't hold it, and the key. */
export const producerTimestamp = encodingOfTwo(`coalesce($1, ${millisecondOfKey('$2')})`)
/** The same of the row of `reports` called `alias`. */
export const producerTimestampOf = (alias: string): string =>
  producerTimestamp(`${alias}.producer_timestamp`, `${alias}.id`)

/** When the run of that row was, in ms: its producer timestamp, but never a time that lay ahead when it came. */
export const timeOfRun = (alias: string): string =>
  `min(${producerTimestampOf(alias)}, ${alias}.receive_time)`

/** A key of that time, by which the runs of different nodes are ordered: the row's own, unless its clock was ahead. */
export const keyOfRun = (alias: string): string =>
  `min(${alias}.id, ${firstKeyOf(`${alias}.receive_time`)})`

// Hours, numbered from 1970 on.

/** The hour of a time, rounded down before 1970 too. */
export const hourOfTime = encoding(`cast(floor(($1) / ${HOUR}.0) as integer)`)
export const hourNumber = (milliseconds: number): number => Math.floor(milliseconds / HOUR)

/** The first hour that begins at a time or after it. */
export const hourFrom = (milliseconds: number): number => Math.ceil(milliseconds / HOUR)
/** The time at which an hour begins. */
export const hourStart = (hour: number): number => hour * HOUR

/** The hour of a key. */
export const hourOfKey = encoding(hourOfTime(millisecondOfKey('$1')))

/** The least key of an hour. */
export const firstKeyOfHour = encoding(`($1 * ${HOUR * SLOTS})`)

/** Holds for a key, the first operand, of an hour, the second. */
export const isKeyOfHour = encodingOfTwo(
  `$1 >= ${firstKeyOfHour('$2')} and $1 < ${firstKeyOfHour('($2 + 1)')}`,
)

/** The bucket of a key, the first operand: buckets of a length in ms, the second, numbered from 1970 on. */
export const bucketOfKey = encodingOfTwo(
  `cast(floor(${millisecondOfKey('$1')} * 1.0 / $2) as integer)`,
)

/** The bucket of an hour, the first operand: buckets of a length in ms, the second, numbered from 1970 on. */
export const bucketOfHour = encodingOfTwo(`cast(floor(($1) * ${HOUR}.0 / $2) as integer)`)

// Days, numbered from 1970 on, in UTC.
export const HOURS_OF_DAY = DAY / HOUR

/** The day of an hour, rounded down before 1970 too. */
export const dayOfHour = encoding(`cast(floor(($1) / ${HOURS_OF_DAY}.0) as integer)`)
export const dayNumber = (hour: number): number => Math.floor(hour / HOURS_OF_DAY)
/** The first day that begins at an hour or after it. */
export const dayFrom = (hour: number): number => Math.ceil(hour / HOURS_OF_DAY)
/** The first hour of a day. */
export const firstHourOfDay = encoding(`(($1) * ${HOURS_OF_DAY})`)

/** Holds for an hour, the first operand, of a day, the second. */
export const isHourOfDay = encodingOfTwo(
  `$1 >= $2 * ${HOURS_OF_DAY} and $1 < ($2 + 1) * ${HOURS_OF_DAY}`,
)
/** The last day that was over at a time. */
export const lastDayBefore = (milliseconds: number): number => Math.floor(milliseconds / DAY) - 1
/** The time at which a day begins. */
export const dayStart = (day: number): number => day * DAY

/** What hours are counted by has no null: keys would tell two of them apart. No id, code or flag is -1. */
export const withoutNull = encoding('coalesce($1, -1)')
export const withNull = encoding('nullif($1, -1)')

// Weeks, numbered from 1970 on: when an entry of a dictionary was last named.
const WEEK = 7 * DAY
export const weekNumber = (milliseconds: number): number => Math.floor(milliseconds / WEEK)
/** The time at which a week begins. */
export const weekStart = (week: number): number => week * WEEK

// Bytes. They leave and reach the database in hex: D1 hands a BLOB out as a list of numbers, which is slower to read.

/** Bytes as upper-case hex digits. */
export const hexOf = encoding('hex($1)')
/** Bytes as lower-case hex digits, as hashes are written. Null gives an empty text. */
export const lowerHexOf = encoding('lower(hex($1))')
/** Bytes from hex digits in either case. Null where they are none. */
export const unhexOf = encoding('unhex($1)')
export const bytesOfHex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, 'hex'))
export const hexOfBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A report's hash as its 20 bytes; empty, which no report has, for a text that isn't a hash. */
export const hashBytes = (hash: string): Uint8Array => bytesOfHex(isHashText(hash) ? hash : '')
export const isHashText = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

// UUIDs: 16 bytes, or the text that was sent where it isn't a UUID.

const UUID = /^\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i

/** What is stored for a UUID that a report has, in any spelling that PostgreSQL reads. */
export function uuidStored(text: string): Uint8Array | string {
  const match = UUID.exec(text)
  return match ? bytesOfHex(match.slice(1).join('')) : text
}

/** The stored form of the UUID that a query names: only the printed spelling equals one. */
export const uuidQueried = (text: string): Uint8Array | string =>
  UUID_PRINTED.test(text) ? bytesOfHex(text.replaceAll('-', '')) : text
const UUID_PRINTED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A stored UUID as it leaves the database: 32 hex digits, or a text after an equals sign. */
export const uuidSelected = encoding(`iif(typeof($1) = 'blob', hex($1), '=' || $1)`)

/** What `uuidSelected` gave, as PostgreSQL writes it. */
export function uuidText(selected: string): string {
  if (selected.startsWith('=')) return selected.slice(1)
  const hex = selected.toLowerCase()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * A stored UUID as PostgreSQL writes it, inside SQL. By printf, as a chain of || would be nine of the
 * 100 levels that SQLite allows an expression.
 */
export const uuidTextOf = encoding(
  `case typeof($1) when 'blob' then (select printf('%s-%s-%s-%s-%s', substr(u, 1, 8), substr(u, 9, 4), substr(u, 13, 4), substr(u, 17, 4), substr(u, 21, 12)) from (select lower(hex($1)) as u)) else $1 end`,
)
