/** The files that mutants are made of, with their syntax. */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syntaxOf, type Syntax } from './mutations.ts'

export interface Source extends Syntax {
  /** Path from the root of the checkout. */
  readonly file: string
  readonly text: string
  /** Sources that import it, and those that it imports. */
  readonly importers: readonly string[]
  readonly imported: readonly string[]
}

/** What runs in browsers is tested in one, by `npm run test:browser`. */
const IN_BROWSERS = 'worker/console/browser/'

export type Sources = ReadonlyMap<string, Source>

export function readSources(root: string): Sources {
  const files = ['worker', 'tools', 'local-catcher/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((file) => /(?<!\.d)\.ts$/.test(file) && !file.startsWith(IN_BROWSERS))
      .sort(),
  )
  const read = files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return { file, text, ...syntaxOf(file, text) }
  })
  const importers = new Map<string, string[]>()
  const imported = new Map<string, string[]>()
  for (const { file, imports } of read) {
    const paths = imports
      .filter((one) => one.startsWith('.'))
      .map((module) => join(dirname(file), module).replace(/\.js$/, '.ts'))
    imported.set(file, paths)
    for (const path of paths) importers.set(path, [...(importers.get(path) ?? []), file])
  }
  return new Map(
    read.map((one) => {
      const { file } = one
      return [
        file,
        { ...one, importers: importers.get(file) ?? [], imported: imported.get(file) ?? [] },
      ]
    }),
  )
}

/** The folder whose row of "The daily loop" names the tests of a source. */
export const folderOf = (file: string): string =>
  /^(?:worker\/([^/]+)\/|(local-catcher|tools)\/)/.exec(file)?.slice(1).find(Boolean) ?? 'worker'
