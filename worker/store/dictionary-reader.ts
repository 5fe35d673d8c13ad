/** Reads the texts that patterns are evaluated on. The isolate caches dictionaries and reads only new entries. */

import {
  areMore,
  Dictionary,
  isFullPage,
  type DictionaryEntry,
  type DictionarySource,
} from '../sql/dictionaries.ts'
import type { TextReader, EvaluatedPatterns } from '../sql/patterns.ts'
import { batchRead, listRead, readOne, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'
import { MOST_BYTES } from './memory.ts'

/** For SQL that shares a batch with `newTexts`: reads the dictionaries that the isolate has not cached. */
export const dictionaryReader = (database: Database): TextReader => ({
  dictionaries: (sources, test) => readDictionaries(database, sources, test, 'what is missing'),
  texts: async (statement) => {
    const [rows] = await database.batch([statement])
    return rows.map(({ text }) => text)
  },
})

/** For SQL that does not: also reads the new entries of cached dictionaries. */
export const freshDictionaryReader = (database: Database): TextReader => ({
  ...dictionaryReader(database),
  dictionaries: (sources, test) => readDictionaries(database, sources, test, 'what is new'),
})

/**
 * Reads dictionaries: whole ones that this isolate has not cached and, if `extent` says so, the new entries of the others.
 * A dictionary of one page takes no separate round trip; of one beyond the budget, the texts are dropped as it is read.
 */
async function readDictionaries(
  database: Database,
  sources: readonly DictionarySource[],
  test: (name: string, dictionary: Dictionary) => void,
  extent: 'what is missing' | 'what is new',
): Promise<ReadonlyMap<string, Dictionary>> {
  const cache = database.memory.dictionaries
  const missing = sources.filter(({ name }) => cache.get(name)?.isBehind !== false)
  const dictionaries = new Map(
    sources.map(({ name }) => [name, cache.get(name) ?? new Dictionary()]),
  )
  const unread = extent === 'what is new' ? sources : missing
  for (let rest = unread; rest.length > 0;) {
    const full = await readOne(
      database,
      listRead(rest.map((source) => readPage(source, dictionaries))),
    )
    rest = rest.filter((_, index) => full[index])
    for (const { name } of rest) {
      const dictionary = dictionaries.get(name)!
      if (dictionary.bytes <= MOST_BYTES.dictionaries && !dictionary.isPartial) continue
      test(name, dictionary)
      dictionary.dropTexts()
    }
  }
  for (const { name } of unread) cache.set(name, dictionaries.get(name)!)
  return dictionaries
}

/** Reads a page of the entries that a dictionary lacks. Its answer is whether further ones may follow. */
function readPage(
  { name, page }: DictionarySource,
  dictionaries: ReadonlyMap<string, Dictionary>,
): BatchRead<boolean> {
  const dictionary = dictionaries.get(name)!
  return batchRead([page(dictionary.highest)], ([entries]: [DictionaryEntry[]]) => {
    for (const { id, text } of entries) dictionary.add(id, text)
    dictionary.isBehind = isFullPage(entries)
    return dictionary.isBehind
  })
}

/** Reads a few entries that a dictionary lacks. */
function readFew(
  { name, few }: DictionarySource,
  dictionaries: ReadonlyMap<string, Dictionary>,
): BatchRead<void> {
  const dictionary = dictionaries.get(name)!
  return batchRead([few(dictionary.highest)], ([entries]: [DictionaryEntry[]]) => {
    for (const { id, text } of entries) dictionary.add(id, text)
    dictionary.isBehind = areMore(entries)
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
  const { statements, read } = listRead(sources.map((source) => readFew(source, dictionaries)))
  return {
    statements,
    read: (results) => {
      read(results)
      return areComplete() && ![...dictionaries.values()].some(({ isBehind }) => isBehind)
    },
  }
}
