/** Damages that a disk does to the pages of a database, and what is found of each. */

import { readFileSync, writeFileSync } from 'node:fs'
import { leavesOf, PAGE_BYTES, type MadeDatabase } from './database.ts'

export type Damage = (file: string, made: MadeDatabase) => void | Promise<void>
type Case = readonly [what: string, damage: Damage, sentence: RegExp]

/** Changes the bytes of a leaf page, the middle one of a table or an index. */
const inLeaf =
  (name: string, change: (page: Buffer) => void): Damage =>
  (file, made) => {
    const bytes = readFileSync(file)
    const leaves = leavesOf(made, name)
    const start = (leaves[Math.floor(leaves.length / 2)]! - 1) * PAGE_BYTES
    change(bytes.subarray(start, start + PAGE_BYTES))
    writeFileSync(file, bytes)
  }

/** Where the header of a file counts its free pages. Source: sqlite.org/fileformat.html, 1.3. */
const FREE_PAGES = 36
const CELLS = 8
const COUNT = 3
const FRAGMENTED = 7

/** Takes a short entry out of the list of cells of a leaf page, as if it had never been written: the page stays sound. */
function withoutCell(page: Buffer): void {
  const count = page.readUInt16BE(COUNT)
  const at = CELLS + 2 * Math.floor(count / 2)
  const bytes = 1 + page[page.readUInt16BE(at)]!
  page[FRAGMENTED]! += bytes
  page.copyWithin(at, at + 2, CELLS + 2 * count)
  page.writeUInt16BE(count - 1, COUNT)
}

export const PAGE_DAMAGES: readonly Case[] = [
  ['a page of zeros', inLeaf('reports', (page) => page.fill(0)), /reports|btreeInitPage|page/i],
  ['a page of noise', inLeaf('events', (page) => page.fill(0xa5)), /page/i],
  ['a page of another table', inLeaf('reports', (page) => page.writeUInt8(10, 0)), /page|index/i],
  [
    'a list of free pages that is too short',
    (file) => {
      const bytes = readFileSync(file)
      bytes.writeUInt32BE(7, FREE_PAGES)
      writeFileSync(file, bytes)
    },
    /freelist/i,
  ],
  [
    'half a file',
    (file) => writeFileSync(file, readFileSync(file).subarray(0, 100_000)),
    /SQLITE_CORRUPT|page/i,
  ],
  ['no database', (file) => writeFileSync(file, 'x'.repeat(9000)), /SQLITE_NOTADB/],
]

export const INDEX_DAMAGES: readonly Case[] = [
  'reports_end',
  'reports_hash',
  'reports_node',
  'reports_notable',
  'reports_late',
  'reports_late_node',
  'nodes_certname',
  'strings_value',
  'resources_value',
  'causes_name',
  'metric_sets_names',
  'report_causes_report',
].map((name): Case => [
  `a row that the index ${name} lacks`,
  inLeaf(name, withoutCell),
  new RegExp(`^(?:the index ${name} lacks row [\\w ]+|wrong # of entries in index ${name})$`),
])
