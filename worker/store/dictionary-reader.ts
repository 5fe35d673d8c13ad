/** The texts that patterns are tried on: dictionaries stay in the isolate, and only what is new is read. */

import { Dictionary, type DictionaryEntry, type DictionarySource } from '../sql/dictionaries.ts'
import type { TextReader, EvaluatedPatterns } from '../sql/patterns.ts'
import { batchRead, listRead, readOne, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'

/** Texts of a dictionary that are kept by an isolate; a larger one is read anew each time. */
const MOST_KEPT = 200_000

/** For SQL that is read together with `newTexts`: reads the dictionaries that the isolate does not hold. */
export const dictionaryReader = (database: Database): TextReader => ({
  dictionaries: (sources) => readDictionaries(database, sources, 'what is missing'),
  texts: async (statement) => {
    const [rows] = await database.batch([statement])
    return rows.map(({ text }) => text)
  },
})

/** For SQL that is not read together with `newTexts`: reads what is new of the others too. */
export const freshDictionaryReader = (database: Database): TextReader => ({
  ...dictionaryReader(database),
  dictionaries: (sources) => readDictionaries(database, sources, 'what is new'),
})

/**
 * The dictionaries, in one round trip at most: those that this isolate has not read yet are read whole,
 * of the others what is new where that is wanted.
 */
async function readDictionaries(
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
  await readOne(database, listRead(unread.map((source) => readNew(source, found))))
  for (const { name } of unread) kept.set(name, found.get(name)!)
  return found
}

/** Reads the entries that a dictionary does not hold yet. */
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
 * Reads, along with rows that patterns were compiled into, what their dictionaries do not hold yet. So a query
 * with patterns takes one round trip, and another one only where a new text matters.
 *
 * @returns a read whose answer is false where the patterns have to be tried, and the rows read, once more
 */
export function newTexts({
  sources,
  dictionaries,
  areComplete: hold,
}: EvaluatedPatterns): BatchRead<boolean> {
  const { statements, read } = listRead(sources.map((source) => readNew(source, dictionaries)))
  return {
    statements,
    read: (results) => {
      read(results)
      return hold()
    },
  }
}
