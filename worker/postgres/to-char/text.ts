/** The texts that `to_char` expressions are joined from. */
import { sql, type SQL } from 'drizzle-orm'

const NUL = '\0'

const literal = (text: string): SQL => sql.raw(`'${text.replaceAll("'", "''")}'`)

/**
 * A constant. It is inlined, because a statement has at most a hundred parameters and a mask can have more texts. A NUL
 * within a literal would end the statement.
 */
export const sqlText = (text: string): SQL =>
  concatenation(
    text
      .split(/(\0)/)
      .filter((piece) => piece !== '')
      .map((piece) => (piece === NUL ? sql.raw('char(0)') : literal(piece))),
  )

/** Joins texts as a balanced tree: SQLite limits the depth of an expression to 100. */
export function concatenation(pieces: readonly SQL[]): SQL {
  const [only] = pieces
  if (!only) return literal('')
  if (pieces.length === 1) return only
  const middle = pieces.length >> 1
  return sql`(${concatenation(pieces.slice(0, middle))} || ${concatenation(pieces.slice(middle))})`
}

/**
 * Reads the text at the start of a mask, quoted or a single character. @returns its length in the mask,
 * and the text
 */
export function readText(mask: string): readonly [number, string] {
  const quotation = /^"((?:\\[^]|[^"])*)"?/.exec(mask)
  if (quotation) return [quotation[0].length, (quotation[1] ?? '').replaceAll(/\\([^])/g, '$1')]
  if (mask.startsWith('\\"')) return [2, '"']
  const [character = ''] = mask
  return [character.length, character]
}
