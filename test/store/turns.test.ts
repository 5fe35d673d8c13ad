/** Work that nobody waits for leaves turns in which requests go ahead. */

import { expect, it } from 'vitest'
import { TableFile } from '../../worker/history/parquet.ts'
import { inTurns } from '../../worker/lib/turns.ts'
import { HISTORY_TABLES, type HistoryKind } from '../../worker/schema/history-tables.ts'
import type { HistoryValue } from '../../worker/history/parquet-columns.ts'
import { Database } from '../../worker/store/database.ts'

/** In how many turns of the event loop the work is done, beside the first. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  try {
    await work()
    return turns
  } finally {
    clearInterval(counting)
  }
}

/** Answers in the same turn, as SQLite does that runs on the same thread. */
const binding = {
  prepare: () => ({ bind: () => ({}) }),
  batch: (statements: readonly unknown[]) =>
    Promise.resolve(
      statements.map(() => ({
        results: [{ number: 1, token: 'a', known: 1 }],
        meta: { rows_read: 0, rows_written: 0, duration: 0, size_after: 0 },
      })),
    ),
} as unknown as D1Database

it.each([
  ['of housekeeping', (database: D1Database) => Database.background(database), 10],
  ['of a request', (database: D1Database) => Database.primary(database), 0],
])('batches %s leave the turns', async (_, open, turns) => {
  const database = open(binding)
  const work = async (): Promise<void> => {
    for (let batch = 0; batch < 10; batch++) await database.batch([])
  }
  expect(await turnsOf(work)).toBeGreaterThanOrEqual(turns)
  if (turns === 0) expect(await turnsOf(work)).toBe(0)
})

const VALUES: Partial<Record<HistoryKind, HistoryValue>> = {
  string: 'a',
  json: '1',
  integer: 1,
  boolean: true,
  milliseconds: 0,
}

it('a file of the history leaves a turn for each 20,000 values', async () => {
  const row = HISTORY_TABLES.events.map(({ kind }) => VALUES[kind] ?? null)
  const leaves = async (rows: number): Promise<number> => {
    const file = await TableFile.begin('events')
    return turnsOf(() => file.write(Array.from({ length: rows }, () => row)))
  }
  expect(await leaves(1)).toBe(0)
  expect(await leaves(20_000)).toBeGreaterThanOrEqual(row.length)
})

it('work is done in turns of so much', () => {
  const turn = inTurns(3)
  const waits = [1, 1, 1, 1, 5, 0].map((work) => turn(work) !== null)
  expect(waits).toEqual([false, false, true, false, true, false])
})
