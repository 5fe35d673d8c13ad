/**
 * Taking away reports, or what hangs on them: the statements of one batch, whose numbers of hours are
 * right when it is done. What is listed is judged anew inside the transaction, because a key may have
 * been given to another report since it was read.
 */

import type { Parameter, Statement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { hourOf } from '../store/key.ts'

/** Reports and events of one batch: some 10,000 rows are what D1 deletes in a fraction of a second. */
export const MOST_REPORTS = 2000
const MOST_EVENTS = 5000

/** A report that is to be taken away or trimmed. */
export interface Doomed {
  readonly key: number
  readonly events: number
}

/** Which of the listed reports are really meant: SQL on `reports r`, whose parameters begin with ?2. */
export interface Guard {
  readonly sql: string
  readonly params: readonly Parameter[]
}

/** ?1 the keys. */
const meant = ({ sql }: Guard, columns = 'r.id'): string =>
  `SELECT ${columns} FROM json_each(?1) listed CROSS JOIN reports r ON r.id = listed.value WHERE ${sql}`

const HOUR_COLUMNS = [
  'hour',
  'environment',
  'status',
  'noop',
  'noop_pending',
  'type',
  'clock_flags',
  'state',
]
const HOUR_OF_KEY = hourOf('r.id >> 10')

/** Rows of `hour_counts`, as far as the reports that go make them up; open hours are counted when they close. */
const countsOf = (guard: Guard): string =>
  `${meant(
    guard,
    `${HOUR_OF_KEY} AS hour, r.environment AS environment, coalesce(r.status, -1) AS status, coalesce(r.noop, -1) AS noop,
  coalesce(r.noop_pending, -1) AS noop_pending, r.type AS type, r.clock_flags AS clock_flags, r.state AS state, count(*) AS count`,
  )} AND ${HOUR_OF_KEY} NOT IN (SELECT hour FROM open_hours) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`

/** Numbers that become 0 go; one row written for each number, whatever becomes of it. */
const forgetCounts = (guard: Guard): string =>
  `DELETE FROM hour_counts WHERE (${[...HOUR_COLUMNS, 'count'].join(', ')}) IN (${countsOf(guard)})`
const lowerCounts = (guard: Guard): string =>
  `UPDATE hour_counts SET count = hour_counts.count - gone.count FROM (${countsOf(guard)}) gone
WHERE ${HOUR_COLUMNS.map((name) => `hour_counts.${name} = gone.${name}`).join(' AND ')}`

const hanging = (table: 'events' | 'long_values' | 'body_parts', guard: Guard): string =>
  `DELETE FROM ${table} WHERE report IN (${meant(guard)})`

/** Their causes, which only failed reports have: looked for under each cause, as they are clustered. */
const forgetCauses = ({ sql }: Guard): string =>
  `DELETE FROM report_causes WHERE (cause, report) IN (SELECT c.id, r.id FROM json_each(?1) listed
CROSS JOIN reports r ON r.id = listed.value CROSS JOIN causes c WHERE ${sql} AND r.state & 3 = 3)`

export type Removal = 'report' | 'events' | 'body'

/** What each removal does; the last statement but those about hours answers a row a report. */
const REMOVALS: Readonly<Record<Removal, (guard: Guard) => { before: string[]; last: string }>> = {
  report: (guard) => ({
    before: [
      hanging('events', guard),
      hanging('long_values', guard),
      hanging('body_parts', guard),
      forgetCauses(guard),
      forgetCounts(guard),
      lowerCounts(guard),
    ],
    last: `DELETE FROM reports WHERE id IN (${meant(guard)}) RETURNING 1`,
  }),
  events: (guard) => ({
    before: [hanging('events', guard), hanging('long_values', guard)],
    last: `UPDATE reports SET events = 0 WHERE id IN (${meant(guard)}) RETURNING 1`,
  }),
  body: (guard) => ({
    before: [hanging('body_parts', guard)],
    last: `UPDATE reports SET body = NULL WHERE id IN (${meant(guard)}) RETURNING 1`,
  }),
}

/**
 * Takes the listed reports away, or trims them, as far as the guard lets it; together with `further`
 * statements, in one transaction. At most a batch of them (`inBatches`).
 *
 * @returns how many reports it was
 * @throws Unavailable, and then nothing but some events of a very long report is gone
 */
export async function remove(
  database: Database,
  removal: Removal,
  doomed: readonly Doomed[],
  guard: Guard,
  further: readonly Statement[] = [],
): Promise<number> {
  if (removal !== 'body') await shorten(database, doomed, guard)
  const { before, last } = REMOVALS[removal](guard)
  const keys = JSON.stringify(doomed.map(({ key }) => key))
  const params = [keys, ...guard.params]
  const results = await database.batch([
    ...[...before, last].map((sql) => ({ sql, params })),
    ...further,
  ])
  return results[before.length]!.length
}

/** Takes events from the end of reports that have more than a batch may take, so that a batch is left. */
async function shorten(database: Database, doomed: readonly Doomed[], guard: Guard): Promise<void> {
  for (const { key, events } of doomed) {
    for (let left = events - MOST_EVENTS; left > 0; left -= MOST_EVENTS) {
      const params = [JSON.stringify([key]), ...guard.params]
      const from = events - (events - MOST_EVENTS - left) - MOST_EVENTS
      await database.batch([
        ...(['events', 'long_values'] as const).map((table) => ({
          sql: `${hanging(table, guard)} AND n >= ${from}`,
          params,
        })),
        {
          sql: `UPDATE reports SET events = min(events, ${from}) WHERE id IN (${meant(guard)})`,
          params,
        },
      ])
    }
  }
}

/** The reports in runs that one batch may take. */
export function inBatches(doomed: readonly Doomed[]): Doomed[][] {
  const batches: Doomed[][] = []
  let events = Infinity
  for (const one of doomed) {
    const size = Math.min(one.events, MOST_EVENTS)
    if (events + size > MOST_EVENTS || batches.at(-1)!.length >= MOST_REPORTS) {
      batches.push([])
      events = 0
    }
    batches.at(-1)!.push(one)
    events += size
  }
  return batches
}
