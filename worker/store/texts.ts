/** The texts that patterns are tried on: dictionaries stay in the isolate, and only what is new is read. */

import type { DictionarySource, TextReader } from '../sql/patterns.ts'
import type { Database } from './database.ts'
import { Lexicon } from './memory.ts'

/** Texts of a dictionary that are kept by an isolate; a larger one is read anew each time. */
const MOST_KEPT = 200_000

export const textReader = (database: Database): TextReader => ({
  dictionary: async (source) => (await refreshed(database, source)).values,
  texts: async (statement) => {
    const [rows] = await database.batch([statement])
    return rows!.map((row) => String(row[0]))
  },
})

async function refreshed(database: Database, { name, sql }: DictionarySource): Promise<Lexicon> {
  const kept = database.memory.dictionaries
  let lexicon = kept.get(name)
  if (!lexicon || lexicon.values.size > MOST_KEPT) kept.set(name, (lexicon = new Lexicon()))
  const [rows] = await database.batch([{ sql, params: [lexicon.highest] }])
  for (const [id, text] of rows!) lexicon.add(id as number, text as string)
  return lexicon
}
