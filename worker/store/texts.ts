/** The texts that patterns are tried on: dictionaries stay in the isolate, and only what is new is read. */

import type { Dictionary, DictionarySource, TextReader } from '../sql/patterns.ts'
import type { Database } from './database.ts'
import { GrowingDictionary } from './memory.ts'

/** Texts of a dictionary that are kept by an isolate; a larger one is read anew each time. */
const MOST_KEPT = 200_000

export const textReader = (database: Database): TextReader => ({
  dictionary: (source) => refreshed(database, source),
  texts: async (statement) => {
    const [rows] = await database.batch([statement])
    return rows!.map((row) => String(row[0]))
  },
})

async function refreshed(database: Database, { name, sql }: DictionarySource): Promise<Dictionary> {
  const kept = database.memory.dictionaries
  let dictionary = kept.get(name)
  if (!dictionary || dictionary.ids.length > MOST_KEPT) {
    kept.set(name, (dictionary = new GrowingDictionary()))
  }
  const [rows] = await database.batch([{ sql, params: [dictionary.highest] }])
  for (const [id, text] of rows!) dictionary.add(id as number, text as string)
  return dictionary
}
