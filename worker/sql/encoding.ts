/**
 * How values are stored, each encoding once: its SQL beside its TypeScript. An SQL encoding takes text
 * and gives text, or takes a fragment or a column and gives a fragment. Times are ms since 1970, UTC.
 */

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { HOUR } from '../lib/time.ts'
import { SLOTS } from '../schema/key.ts'

/** SQL of one operand: `$` stands for it in the template. */
function encoding(template: string) {
  const pieces = template.split('$')
  function encoded(operand: string): string
  function encoded(operand: SQL | SQLiteColumn): SQL
  function encoded(operand: string | SQL | SQLiteColumn): string | SQL {
    if (typeof operand === 'string') return pieces.join(operand)
    return sql.join(
      pieces.map((piece) => sql.raw(piece)),
      sql`${operand}`,
    )
  }
  return encoded
}

// Integers. D1 binds every number as REAL, which loses the last digits of a key.

/** A parameter as the integer that it is: `integer('?1')`. */
export const integer = encoding('cast($ as integer)')

/** An integer as SQL text, which needs no parameter. */
export const literal = (value: number): SQL => sql.raw(String(value))

// Keys of reports (schema/key.ts): a millisecond and a slot within it.

/** The millisecond of a key. */
export const millisecondOfKey = encoding(`($ >> ${Math.log2(SLOTS)})`)
export const keyMilliseconds = (key: number): number => Math.floor(key / SLOTS)

/** The least key of a millisecond. */
export const firstKeyOf = encoding(`($ * ${SLOTS})`)
export const firstKey = (milliseconds: number): number => milliseconds * SLOTS

// Hours, numbered from 1970 on.

/** The hour of a time, rounded down before 1970 too. */
export const hourOfTime = encoding(`cast(floor(($) / ${HOUR}.0) as integer)`)
export const hourNumber = (milliseconds: number): number => Math.floor(milliseconds / HOUR)

/** The hour of a key. */
export const hourOfKey = (key: string): string => hourOfTime(millisecondOfKey(key))

/** The least key of an hour. */
export const firstKeyOfHour = encoding(`($ * ${HOUR * SLOTS})`)

// Bytes. They leave and reach the database in hex: D1 hands a BLOB out as a list of numbers, which is slower to read.

/** Bytes as upper-case hex digits. */
export const hexOf = encoding('hex($)')
/** Bytes as lower-case hex digits, as hashes are written. Null gives an empty text. */
export const lowerHexOf = encoding('lower(hex($))')
export const bytesOfHex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, 'hex'))
export const hexOfBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A report's hash as its 20 bytes; no bytes, which are no report's, for a text that is no hash. */
export const hashBytes = (hash: string): Uint8Array => bytesOfHex(isHashText(hash) ? hash : '')
export const isHashText = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

// UUIDs: 16 bytes, or the text that was sent where it is no UUID.

const UUID = /^\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i

/** What is stored for a UUID that a report has, in any spelling that PostgreSQL reads. */
export function uuidStored(text: string): Uint8Array | string {
  const match = UUID.exec(text)
  return match ? bytesOfHex(match.slice(1).join('')) : text
}

/** The stored form of the UUID that a query names: only the printed spelling equals one. */
export const uuidAsked = (text: string): Uint8Array | string =>
  UUID_PRINTED.test(text) ? bytesOfHex(text.replaceAll('-', '')) : text
const UUID_PRINTED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A stored UUID as it leaves the database: 32 hex digits, or a text behind an equals sign. */
export const uuidSelected = encoding(`iif(typeof($) = 'blob', hex($), '=' || $)`)

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
  `case typeof($) when 'blob' then (select printf('%s-%s-%s-%s-%s', substr(u, 1, 8), substr(u, 9, 4), substr(u, 13, 4), substr(u, 17, 4), substr(u, 21, 12)) from (select lower(hex($)) as u)) else $ end`,
)
