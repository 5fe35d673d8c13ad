/** The values in `wrangler.toml` that `npm start` and `npm run deploy` need too. */

import { readFile } from 'node:fs/promises'
import { SETTINGS } from '../schema/settings.ts'

export interface Configuration {
  readonly compatibilityDate: string
  readonly compatibilityFlags: readonly string[]
  /** Of every database binding, in all environments. */
  readonly databaseIds: readonly string[]
  readonly databaseNames: readonly string[]
  /** Settings with a value in `[vars]`. */
  readonly variables: readonly string[]
}

/** @param path of the file, with each key on its own line @throws Error if it can't be read or lacks the date */
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
    databaseNames: values('database_name').flatMap(strings),
    variables: Object.keys(SETTINGS).filter(
      (name) => values(name).flatMap(strings).join('') !== '',
    ),
  }
}
