/**
 * One rule of retention, carried out from the oldest report on. Keys are in the order of time, so what
 * has come of age since the last run is a range of keys; where a rule has come to is kept, so that the
 * reports it leaves behind are read once and not every hour.
 */

import { HOUR } from '../schema/clocks.ts'
import { keyMillisecond, SLOTS } from '../schema/key.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import {
  inBatches,
  MOST_REPORTS,
  remove,
  type Doomed,
  type Guard,
  type Removal,
} from './delete-reports.ts'

export interface Sweep {
  /** Its name in `retention_progress`: the same as long as it means the same reports. */
  readonly name: string
  readonly removal: Removal
  /** Which reports it is about: SQL on `reports r`, whose parameter ?2 is `words`. */
  readonly about: string
  readonly words: string
  /** Age in ms at which they go. */
  readonly ttl: number
}

/** What a run of a sweep did. */
export interface Swept {
  readonly reports: number
  /** Whether all that is of age is gone. */
  readonly complete: boolean
}

const FIRST_KEY = keyMillisecond(-Infinity) * SLOTS

/** Keys below it are of age: whole hours, so that what is counted by hours goes at once. */
export const keyOfAge = (now: number, ttl: number): number =>
  keyMillisecond(Math.floor((now - ttl) / HOUR) * HOUR) * SLOTS

const IS_LATEST = 'r.id IS (SELECT n.latest FROM nodes n WHERE n.id = r.node)'

/**
 * A page of reports: key, number of events, and whether it is to go (1), is to go but spared (2), or neither (0).
 * ?1 first key, ?2 words, ?3 the key behind the last.
 */
const scan = (about: string): string => `SELECT r.id, r.events,
  CASE WHEN ${about} THEN CASE WHEN ${IS_LATEST} THEN 2 ELSE 1 END ELSE 0 END AS c2
FROM reports r NOT INDEXED WHERE r.id >= CAST(?1 AS INTEGER) AND r.id < CAST(?3 AS INTEGER) ORDER BY r.id LIMIT ${MOST_REPORTS}`

/** Spared reports that are not their node's latest any more. ?1 sweep, ?2 the key behind the last. */
const RELEASED = `SELECT s.report, coalesce(r.events, 0) AS c1 FROM protected_reports s
LEFT JOIN reports r ON r.id = s.report LEFT JOIN nodes n ON n.id = r.node
WHERE s.rule = ?1 AND s.report < CAST(?2 AS INTEGER) AND n.latest IS NOT s.report LIMIT ${MOST_REPORTS}`
const FORGET_SPARED = `DELETE FROM protected_reports WHERE rule = ?1 AND report IN (SELECT value FROM json_each(?2))`
const SPARE = `INSERT OR IGNORE INTO protected_reports (rule, report) SELECT ?1, value FROM json_each(?2)`

const READ_CURSOR = 'SELECT cursor AS c0 FROM retention_progress WHERE rule = ?1'
const WRITE_CURSOR = `INSERT INTO retention_progress (rule, cursor) VALUES (?1, CAST(?2 AS INTEGER))
ON CONFLICT (rule) DO UPDATE SET cursor = excluded.cursor WHERE cursor <> excluded.cursor`

/** A page of what a sweep has before it. */
export interface SweepPage {
  readonly due: readonly Doomed[]
  readonly spared: readonly number[]
  /** Where the next page begins; null behind the last. */
  readonly next: number | null
}

const FIRST_OPEN = `SELECT min(hour) * ${HOUR * SLOTS} AS c0 FROM open_hours`

/** What a run of a sweep begins with. */
export interface SweepStart {
  /** Spared reports that have come to be like others. */
  readonly released: readonly Doomed[]
  /** Where the sweep has come to. */
  readonly cursor: number
  /** Where the next run begins: something arrived in an open hour, to which closing it leads back. */
  readonly next: number
}

/** @param behind the key behind the last that is of age */
export async function readStart(
  database: Database,
  { name }: Sweep,
  behind: number,
): Promise<SweepStart> {
  const [spared, cursors, open] = await database.batch([
    { sql: RELEASED, params: [name, behind] },
    { sql: READ_CURSOR, params: [name] },
    { sql: FIRST_OPEN, params: [] },
  ])
  const cursor = (cursors![0]?.[0] as number | undefined) ?? FIRST_KEY
  const firstOpen = (open![0]?.[0] as number | null | undefined) ?? Infinity
  return {
    released: spared!.map(([key, events]) => ({ key, events }) as Doomed),
    cursor,
    next: Math.min(cursor, firstOpen),
  }
}

/** The reports from a key on. @param behind the key behind the last */
export async function readPage(
  database: Database,
  { about, words }: Sweep,
  from: number,
  behind: number,
): Promise<SweepPage> {
  const [rows] = await database.batch([{ sql: scan(about), params: [from, words, behind] }])
  const found = rows as [key: number, events: number, fate: number][]
  return {
    due: found.flatMap(([key, events, fate]) => (fate === 1 ? [{ key, events }] : [])),
    spared: found.flatMap(([key, , fate]) => (fate === 2 ? [key] : [])),
    next: found.length < MOST_REPORTS ? null : found.at(-1)![0] + 1,
  }
}

/**
 * Carries the rule out until all is done that is of age at `now`, or `mayGoOn` says no between two
 * steps; each step is one transaction of bounded size, and the next run goes on behind the last.
 */
export async function runSweep(
  database: Database,
  sweep: Sweep,
  now: number,
  mayGoOn: () => boolean,
): Promise<Swept> {
  const { name, removal, about, words, ttl } = sweep
  const behind = keyOfAge(now, ttl)
  const guard: Guard = {
    sql: `(${about}) AND r.id < CAST(?3 AS INTEGER) AND NOT ${IS_LATEST}`,
    params: [words, behind],
  }
  const to = (key: number): Statement => ({ sql: WRITE_CURSOR, params: [name, key] })
  let reports = 0
  const take = async (doomed: readonly Doomed[], further: (last: Doomed) => Statement[]) => {
    for (const batch of inBatches(doomed)) {
      if (!mayGoOn()) return false
      reports += await remove(database, removal, batch, guard, further(batch.at(-1)!))
    }
    return true
  }

  const { released, cursor } = await readStart(database, sweep, behind)
  const keys = JSON.stringify(released.map(({ key }) => key))
  const forget: Statement = { sql: FORGET_SPARED, params: [name, keys] }
  if (!(await take(released, () => []))) return { reports, complete: false }
  if (released.length > 0) await database.batch([forget])

  // With a longer age than before, what has not come to it begins below the cursor.
  let from: number | null = Math.min(cursor, behind)
  while (from !== null && from < behind) {
    if (!mayGoOn()) return { reports, complete: false }
    const page: SweepPage = await readPage(database, sweep, from, behind)
    const spared = JSON.stringify(page.spared)
    const first: Statement[] =
      page.spared.length > 0 ? [{ sql: SPARE, params: [name, spared] }] : []
    // What is spared is noted before the cursor passes it.
    if (!(await take(page.due, ({ key }) => [...first, to(key + 1)]))) {
      return { reports, complete: false }
    }
    from = page.next
    if (first.length > 0 || page.due.length > 0 || from === null) {
      await database.batch([...first, to(from ?? behind)])
    }
  }
  if (cursor > behind) await database.batch([to(behind)])
  return { reports, complete: true }
}
