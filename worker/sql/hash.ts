/**
 * Reports by their hash. Their index holds the first six of its twenty bytes: among ten million reports,
 * one search in 28 million meets another one that begins so, and the whole hash turns that away.
 */

import { sql, type SQL } from 'drizzle-orm'
import { bytesOfHex, unhexOf } from './encoding.ts'

const beginning = (bytes: string): string => `substr(${bytes}, 1, 6)`
const beginningOf = (bytes: SQL): SQL => sql`substr(${bytes}, 1, 6)`

/** SQL that holds where the column is the hash that a parameter or another column has: `isHash('r.hash', '?1')`. */
export const isHash = (column: string, bytes: string): string =>
  `${beginning(column)} = ${beginning(bytes)} AND ${column} = ${bytes}`

/** The same as a fragment. */
export const equalsHash = (column: SQL, bytes: Uint8Array): SQL =>
  sql`(${beginningOf(column)} = ${bytes.slice(0, 6)} and ${column} = ${bytes})`

/** Holds where the column is one of the hashes, which are hex digits. */
export const amongHashes = (column: SQL, hashes: readonly string[]): SQL => {
  const listed = sql`(select ${unhexOf(sql`value`)} as bytes from json_each(${JSON.stringify(hashes)}))`
  return sql`(${beginningOf(column)} in (select ${beginningOf(sql`bytes`)} from ${listed}) and ${column} in ${listed})`
}

/** Holds where the column begins with these hex digits, of which there are at least four. */
export function beginsWith(column: SQL, digits: string): SQL {
  const [from, to] = ['0', 'f'].map((digit) => bytesOfHex(digits.padEnd(40, digit)))
  return sql`(${beginningOf(column)} between ${from!.slice(0, 6)} and ${to!.slice(0, 6)} and ${column} between ${from} and ${to})`
}
