/**
 * Conditions on the hash of a report. The index holds the first six of its twenty bytes: among ten
 * million reports, one search in 28 million finds another report that begins alike, and the comparison of
 * the whole hash excludes it.
 */

import { sql, type SQL } from 'drizzle-orm'
import { bytesOfHex, unhexOf } from './encoding.ts'

const beginning = (bytes: string): string => `substr(${bytes}, 1, 6)`
const beginningOf = (bytes: SQL): SQL => sql`substr(${bytes}, 1, 6)`

/** SQL that is true where the column equals the hash in a parameter or another column: `isHash('r.hash', '?1')`. */
export const isHash = (column: string, bytes: string): string =>
  `${beginning(column)} = ${beginning(bytes)} AND ${column} = ${bytes}`

/** The same as a fragment. */
export const equalsHash = (column: SQL, bytes: Uint8Array): SQL =>
  sql`(${beginningOf(column)} = ${bytes.slice(0, 6)} and ${column} = ${bytes})`

/** True where the column is one of the hashes, given in hex digits. */
export const amongHashes = (column: SQL, hashes: readonly string[]): SQL => {
  const listed = sql`(select ${unhexOf(sql`value`)} as bytes from json_each(${JSON.stringify(hashes)}))`
  return sql`(${beginningOf(column)} in (select ${beginningOf(sql`bytes`)} from ${listed}) and ${column} in ${listed})`
}

/** True where the column begins with these hex digits, at least four. */
export function beginsWith(column: SQL, digits: string): SQL {
  const [from, to] = ['0', 'f'].map((digit) => bytesOfHex(digits.padEnd(40, digit)))
  return sql`(${beginningOf(column)} between ${from!.slice(0, 6)} and ${to!.slice(0, 6)} and ${column} between ${from} and ${to})`
}
