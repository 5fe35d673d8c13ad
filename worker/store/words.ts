/** Words and lists of metric names leave the database as ids; an isolate reads each of them once. */

import { invariant } from '../lib/invariant.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database, Row } from './database.ts'
import type { Lexicon, Memory } from './memory.ts'

/** A lexicon, how what is new in it is read, and how its texts are kept. */
interface Vocabulary {
  readonly lexicon: (memory: Memory) => Lexicon
  readonly sql: string
  readonly keep: (text: string) => string
  /** Which values of a row are ids of it. */
  readonly columns: (compiled: CompiledSelect) => readonly number[]
}

const VOCABULARIES: readonly Vocabulary[] = [
  {
    lexicon: (memory) => memory.strings,
    sql: 'SELECT id, value FROM strings WHERE id > ?1',
    keep: JSON.stringify,
    columns: ({ columns }) =>
      columns.flatMap(({ decoding }, index) => (decoding.as === 'string' ? [index] : [])),
  },
  {
    lexicon: (memory) => memory.metricSets,
    sql: 'SELECT id, names FROM metric_sets WHERE id > ?1',
    keep: (text) => text,
    columns: ({ columns, extras }) =>
      extras.flatMap((name, index) => (name === 'metricSet' ? [columns.length + index] : [])),
  },
]

const newIn = ({ lexicon, sql }: Vocabulary, memory: Memory): Statement => ({
  sql,
  params: [lexicon(memory).highest],
})

function learn({ lexicon, keep }: Vocabulary, memory: Memory, rows: readonly Row[]): void {
  for (const [id, text] of rows) lexicon(memory).add(id as number, keep(text as string))
}

/**
 * What an isolate that knows nothing yet should read along with its first rows: the statements, and
 * what to do with their rows. Nothing for one that knows.
 */
export function firstWords(memory: Memory, selects: readonly CompiledSelect[]) {
  const needed = VOCABULARIES.filter(
    (one) =>
      one.lexicon(memory).highest === 0 && selects.some((select) => one.columns(select).length > 0),
  )
  return {
    statements: needed.map((one) => newIn(one, memory)),
    learn: (results: readonly (readonly Row[])[]) =>
      needed.forEach((one, index) => learn(one, memory, results[index]!)),
  }
}

/** Makes sure that every id in the rows is known; reads what is new where one isn't. */
export async function knowWords(
  database: Database,
  compiled: CompiledSelect,
  rows: readonly Row[],
): Promise<void> {
  const { memory } = database
  const unknown = (one: Vocabulary): boolean => {
    const { values } = one.lexicon(memory)
    return one
      .columns(compiled)
      .some((column) =>
        rows.some((row) => row[column] !== null && !values.has(row[column] as number)),
      )
  }
  const needed = VOCABULARIES.filter(unknown)
  if (needed.length === 0) return
  const results = await database.batch(needed.map((one) => newIn(one, memory)))
  needed.forEach((one, index) => learn(one, memory, results[index]!))
  invariant(!needed.some(unknown), 'every id in a row is in its vocabulary')
}
