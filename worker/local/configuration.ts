/** What `wrangler.toml` says of the things that `npm start` and `npm run deploy` must know as well. */

import { readFile } from 'node:fs/promises'

export interface Configuration {
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  /** Of every database that is bound, in each environment. */
  readonly databaseIds: readonly string[]
}

/** @param path of the file, whose keys stand on lines of their own @throws where it can't be read, or lacks the date */
export async function readConfiguration(path: string): Promise<Configuration> {
  const text = await readFile(path, 'utf8')
  const values = (key: string): string[] =>
    [...text.matchAll(new RegExp(`^\\s*${key}\\s*=\\s*(.*?)\\s*(?:#.*)?$`, 'gm'))].map(
      ([, value]) => value!,
    )
  const strings = (value: string): string[] =>
    [...value.matchAll(/"([^"]*)"/g)].map(([, string]) => string!)
  const [date] = values('compatibility_date').flatMap(strings)
  if (date === undefined) throw new Error(`${path} has no compatibility_date.`)
  return {
    compatibilityDate: date,
    compatibilityFlags: values('compatibility_flags').flatMap(strings),
    databaseIds: values('database_id').flatMap(strings),
  }
}
