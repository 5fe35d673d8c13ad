/** The texts that patterns are tried on: dictionaries stay in the isolate, and only what is new is read. */

import { Dictionary, type DictionarySource } from '../sql/dictionaries.ts'
import type { TextReader, Trials } from '../sql/patterns.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database, Row } from './database.ts'

/** Texts of a dictionary that are kept by an isolate; a larger one is read anew each time. */
const MOST_KEPT = 200_000

export const textReader = (database: Database): TextReader => ({
  dictionaries: (sources) => known(database, sources),
  texts: async (statement) => {
    const [rows] = await database.batch([statement])
    return rows!.map((row) => String(row[0]))
  },
})

/**
 * For SQL that is not read together with `newTexts`: what is new is read before, in a round trip of its own.
 */
export const freshTextReader = (database: Database): TextReader => ({
  ...textReader(database),
  dictionaries: async (sources) => {
    const dictionaries = await known(database, sources)
    const results = await database.batch(sources.map((source) => newIn(source, dictionaries)))
    sources.forEach(({ name }, index) => learn(dictionaries.get(name)!, results[index]!))
    return dictionaries
  },
})

/** The dictionaries; one that this isolate has not read yet is read now. */
async function known(
  database: Database,
  sources: readonly DictionarySource[],
): Promise<ReadonlyMap<string, Dictionary>> {
  const kept = database.memory.dictionaries
  const found = new Map<string, Dictionary>()
  const missing: DictionarySource[] = []
  for (const source of sources) {
    const dictionary = kept.get(source.name)
    if (dictionary && dictionary.highest > 0 && dictionary.ids.length <= MOST_KEPT) {
      found.set(source.name, dictionary)
    } else {
      missing.push(source)
      found.set(source.name, new Dictionary())
    }
  }
  if (missing.length === 0) return found
  const results = await database.batch(missing.map((source) => newIn(source, found)))
  missing.forEach(({ name }, index) => {
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
