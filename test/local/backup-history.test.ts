/** The check of a backup's history names each file that is missing or damaged. */

import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { historyProblems, writeHistoryList } from '../../worker/local/backup/history-list.ts'
import { writePart } from './history-part.ts'

let history = ''
beforeEach(async () => {
  history = join(mkdtempSync(join(tmpdir(), 'history-')), 'history')
  const paths = await writePart(history, Date.UTC(2026, 2, 2))
  expect(paths.length).toBe(4)
  await writeHistoryList(history)
})
afterEach(() => rmSync(join(history, '..'), { recursive: true }))

const pathOf = (table: string): string => `${table}/date=2026-03-02/000.parquet`

it('says nothing where all is whole, also of a backup without a list', async () => {
  expect(await historyProblems(history)).toEqual([])
  rmSync(`${history}.txt`)
  expect(await historyProblems(history)).toEqual([])
})

it.each(['reports', 'events', 'logs', 'metrics'])('names a file of %s', async (table) => {
  const file = join(history, pathOf(table))
  const whole = readFileSync(file)
  const names = { missing: `${pathOf(table)} is missing`, damaged: `${pathOf(table)} is damaged: ` }
  whole[50] = whole[50]! ^ 1
  writeFileSync(file, whole)
  expect((await historyProblems(history)).join()).toContain(names.damaged)
  truncateSync(file, 0)
  expect((await historyProblems(history)).join()).toContain(`${names.damaged}it is empty`)
  rmSync(file)
  expect(await historyProblems(history)).toEqual([names.missing])
})

it('names all files of a history that is gone', async () => {
  rmSync(history, { recursive: true })
  expect((await historyProblems(history)).length).toBe(4)
})
