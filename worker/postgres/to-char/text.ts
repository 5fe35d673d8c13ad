/** The texts that `to_char` expressions are joined from. */
import { sql, type SQL } from 'drizzle-orm'

/** A constant. Written out rather than bound, because a statement takes only a hundred parameters and a mask may hold more. */
export const sqlText = (text: string): SQL => sql.raw(`'${text.replaceAll("'", "''")}'`)

/** Joins texts as a balanced tree: SQLite allows an expression a depth of 100 only. */
export function concatenation(pieces: readonly SQL[]): SQL {
  const [only] = pieces
  if (!only) return sqlText('')
  if (pieces.length === 1) return only
  const middle = pieces.length >> 1
  return sql`(${concatenation(pieces.slice(0, middle))} || ${concatenation(pieces.slice(middle))})`
}

/** The text at the start of a mask, a quoted one or a single character: how much of the mask it takes and what it says. */
export function readText(mask: string): readonly [number, string] {
  const quotation = /^"((?:\\[^]|[^"])*)"?/.exec(mask)
  if (quotation) return [quotation[0].length, (quotation[1] ?? '').replaceAll(/\\([^])/g, '$1')]
  if (mask.startsWith('\\"')) return [2, '"']
  const [character = ''] = mask
  return [character.length, character]
}
