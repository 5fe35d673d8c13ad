/** The texts that patterns are tried on: dictionaries stay in the isolate, and only what is new is read. */

import { Dictionary, type DictionarySource } from '../sql/dictionaries.ts'
import type { TextReader, Trials } from '../sql/patterns.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database, Row } from './database.ts'

/** Texts of a dictionary that are kept by an isolate; a larger one is read anew each time. */
const MOST_KEPT = 200_000

export const textReader = (database: Database): TextReader => ({
  dictionaries: (sources) => read(database, sources, 'what is missing'),
  texts: async (statement) => {
    const [rows] = await database.batch([statement])
    return rows!.map((row) => String(row[0]))
  },
})

/** For SQL that is not read together with `newTexts`: what is new is read before. */
export const freshTextReader = (database: Database): TextReader => ({
  ...textReader(database),
  dictionaries: (sources) => read(database, sources, 'what is new'),
})

/**
 * The dictionaries, in one round trip at most: those that this isolate has not read yet are read whole,
 * of the others what is new where that is wanted.
 */
async function read(
  database: Database,
  sources: readonly DictionarySource[],
  wanted: 'what is missing' | 'what is new',
): Promise<ReadonlyMap<string, Dictionary>> {
  const kept = database.memory.dictionaries
  const isKept = ({ name }: DictionarySource): boolean => {
    const dictionary = kept.get(name)
    return dictionary !== undefined && dictionary.highest > 0 && dictionary.ids.length <= MOST_KEPT
  }
  const found = new Map(
    sources.map((source) => [
      source.name,
      isKept(source) ? kept.get(source.name)! : new Dictionary(),
    ]),
  )
  const unread = wanted === 'what is new' ? sources : sources.filter((source) => !isKept(source))
  if (unread.length === 0) return found
  const results = await database.batch(unread.map((source) => newIn(source, found)))
  unread.forEach(({ name }, index) => {
    learn(found.get(name)!, results[index]!)
    kept.set(name, found.get(name)!)
  })
  return found
}

const newIn = (
  { name, sql }: DictionarySource,
  dictionaries: ReadonlyMap<string, Dictionary>,
): Statement => ({ sql, params: [dictionaries.get(name)!.highest] })

function learn(dictionary: Dictionary, rows: readonly Row[]): void {
  for (const [id, text] of rows) dictionary.add(id as number, text as string)
}

/**
 * What to read along with rows that patterns were compiled into: whatever their dictionaries do not know
 * yet. So a query with patterns takes one round trip, and another one where there was a new text that matters.
 */
export function newTexts({ sources, dictionaries, hold }: Trials) {
  return {
    statements: sources.map((source) => newIn(source, dictionaries)),
    /** Takes the rows of the statements. False where the patterns have to be tried again, and what they were compiled into be read again. */
    hold: (results: readonly (readonly Row[])[]): boolean => {
      sources.forEach(({ name }, index) => learn(dictionaries.get(name)!, results[index]!))
      return hold()
    },
  }
}
