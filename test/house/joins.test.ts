/**
 * Each join says its order: `cross join` or `left join`. Without it SQLite chooses one by guesses, as D1 has no statistics, and once
 * read a million reports to look up the keys of a few.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
/** Folders whose SQL is written by hand. */
const FOLDERS = ['history', 'housekeeping', 'insight', 'integrity', 'notify', 'outcomes', 'store']
/** Here the keys of the hits bound the reports, too: SQLite reads each report once, where the written order reads it for each hit. */
const CHOSEN = ['worker/store/sightings.ts']
const COMMENT = /^\s*(\*|\/\/|\/\*)/
/** The word in SQL, before a table or a fragment; in TypeScript a dot or a bracket is beside it. */
const JOIN = /(?<!cross |left )(?<![.\w])join (?=[a-z]\w* |[a-z]\w*$|\$\{|\()/

const linesOf = (path: string): [number, string][] =>
  readFileSync(join(ROOT, path), 'utf8')
    .split('\n')
    .map((line, index): [number, string] => [index + 1, line])
    .filter(([, line]) => !COMMENT.test(line))

it.each([
  ['from a join b on b.id = a.id', true],
  ['sql` join events on events.report = reports.id`', true],
  ['from a cross join b', false],
  ['from a left join b', false],
  ["names.join(', ')", false],
])('%s: refused %s', (line, isRefused) => expect(JOIN.test(line)).toBe(isRefused))

it('each join says its order', () => {
  const found = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, 'worker', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join('worker', folder, name)),
  )
    .filter((path) => !CHOSEN.includes(path))
    .flatMap((path) =>
      linesOf(path)
        .filter(([, line]) => JOIN.test(line))
        .map(([number, line]) => `${path}:${number}: ${line.trim()}`),
    )
  expect(found).toEqual([])
})
