/** Rows are read by the names of their columns (worker/sql/columns.ts), never by position. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../worker')

/** What reading by position looks like, and an example of each. */
const BY_POSITION: readonly (readonly [name: string, pattern: RegExp, example: string])[] = [
  ['a column named by its number', /\bas "?c\d+\b/i, 'select n.certname as c0'],
  ['a column named by a counter', /\bas "?c\$\{/i, 'sql` as c${index}`'],
  ['a value read by its number', /\b(?:row|rows!?\[0\]!?|head)\[\d+\]/, 'row[23] as string'],
  ['a row without its names', /\bObject\.values\((?:row|stored)\)/, 'Object.values(row)'],
  [
    'rows taken apart by position',
    /\.map\(\(\[[^\]]*\]: Row\)/,
    'rows.map(([id, name]: Row) => id)',
  ],
]

it.each(BY_POSITION)('%s is recognized', (_, pattern, example) => {
  expect(example).toMatch(pattern)
})

it('no file of the Worker reads a row by position', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  expect(files.length).toBeGreaterThan(200)
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n')
    return lines.flatMap((line, index) =>
      BY_POSITION.filter(([, pattern]) => pattern.test(line)).map(
        ([name]) => `${file}:${index + 1} has ${name}`,
      ),
    )
  })
  expect(found).toEqual([])
})
