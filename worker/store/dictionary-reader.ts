/** Reads the texts that patterns are evaluated on. The isolate caches dictionaries and reads only new entries. */

import { Dictionary, type DictionaryEntry, type DictionarySource } from '../sql/dictionaries.ts'
import type { TextReader, EvaluatedPatterns } from '../sql/patterns.ts'
import { batchRead, listRead, readOne, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'

/** For SQL that shares a batch with `newTexts`: reads the dictionaries that the isolate has not cached. */
export const dictionaryReader = (database: Database): TextReader => ({
  dictionaries: (sources) => readDictionaries(database, sources, 'what is missing'),
  texts: async (statement) => {
    const [rows] = await database.batch([statement])
    return rows.map(({ text }) => text)
  },
})

/** For SQL that does not: also reads the new entries of cached dictionaries. */
export const freshDictionaryReader = (database: Database): TextReader => ({
  ...dictionaryReader(database),
  dictionaries: (sources) => readDictionaries(database, sources, 'what is new'),
})

/**
 * Reads dictionaries in at most one round trip: whole ones that this isolate has not cached and, if `extent`
 * says so, the new entries of the others.
 */
async function readDictionaries(
  database: Database,
  sources: readonly DictionarySource[],
  extent: 'what is missing' | 'what is new',
): Promise<ReadonlyMap<string, Dictionary>> {
  const cache = database.memory.dictionaries
  const missing = sources.filter(({ name }) => cache.get(name) === undefined)
  const dictionaries = new Map(
    sources.map(({ name }) => [name, cache.get(name) ?? new Dictionary()]),
  )
  const unread = extent === 'what is new' ? sources : missing
  await readOne(database, listRead(unread.map((source) => readNew(source, dictionaries))))
  for (const { name } of unread) cache.set(name, dictionaries.get(name)!)
  return dictionaries
}

/** Reads the entries that a dictionary lacks. */
function readNew(
  { name, after }: DictionarySource,
  dictionaries: ReadonlyMap<string, Dictionary>,
): BatchRead<void> {
  const dictionary = dictionaries.get(name)!
  return batchRead([after(dictionary.highest)], ([entries]: [DictionaryEntry[]]) => {
    for (const { id, text } of entries) dictionary.add(id, text)
  })
}

/**
 * Reads the entries that the dictionaries of evaluated patterns lack, in the batch of the query's rows. So a
 * query with patterns takes one round trip, and a second one only where a new text matches.
 *
 * @returns a read whose answer is false if the patterns must be evaluated, and the rows read, again
 */
export function newTexts({
  sources,
  dictionaries,
  areComplete,
}: EvaluatedPatterns): BatchRead<boolean> {
  const { statements, read } = listRead(sources.map((source) => readNew(source, dictionaries)))
  return {
    statements,
    read: (results) => {
      read(results)
      return areComplete()
    },
  }
}
