/** Computes again what follows from other rows: counts of hours and days, rows of nodes, marks of the history, indexes. */

import { readPath } from '../history/bucket.ts'
import type { History } from '../history/history.ts'
import { dayOfHour, hourStart, integerOf, producerTimestampOf } from '../sql/encoding.ts'
import { log } from '../lib/log.ts'
import { formatTimestamp } from '../lib/time.ts'
import { isNotFailedCode } from '../schema/states.ts'
import { COPIED_FROM_LATEST } from '../schema/tables.ts'
import type { Statement } from '../sql/statement.ts'
import { forgetDay, forgetPartsOf, lackDay } from '../store/history.ts'
import { SET_RUNS } from '../store/runs.ts'
import type { Database } from '../store/database.ts'
import type { Problem, Subject } from './checked-page.ts'

const OF_NODE = 'from reports r indexed by reports_node where r.node = nodes.id and r.type = 0'
const newest = (condition: string): string =>
  `(select r.id ${OF_NODE} and ${condition} order by r.id desc limit 1)`
const LATEST = `(select r.id ${OF_NODE} order by ${producerTimestampOf('r')} desc, r.id desc limit 1)`
const ofLatest = (column: string): string =>
  `(select l.${column} from reports l where l.id = ${LATEST})`

/** ?1 node. */
const NODE = `update nodes set latest = ${LATEST}, ${COPIED_FROM_LATEST.map((column) => `${column} = ${ofLatest(column)}`).join(', ')},
  good = ${newest(isNotFailedCode('r.state'))}, newest = ${newest('1')}, ${SET_RUNS} where id = ${integerOf('?1')}`

/** Housekeeping archives what the database has of the day and its parts lack. */
const archiveAgain = (day: number): readonly Statement[] => [
  { sql: 'delete from day_counts where day = ?1', params: [day] },
  forgetPartsOf(day),
  forgetDay(day),
  lackDay(day),
]

/** What mends each kind of subject: housekeeping counts an open hour, and archives a day that the history lacks. */
const REPAIRS: Readonly<Record<Subject['kind'], (id: never) => readonly Statement[]>> = {
  hour: (hour: number) => [
    { sql: `delete from day_counts where day = ${dayOfHour(integerOf('?1'))}`, params: [hour] },
    { sql: `insert or ignore into open_hours (hour) values (${integerOf('?1')})`, params: [hour] },
  ],
  day: archiveAgain,
  part: (path: string) => archiveAgain(readPath(path)!.day),
  node: (node: number) => [{ sql: NODE, params: [node] }],
  // The name is one of the schema's own.
  index: (name: string) => [{ sql: `reindex ${name}`, params: [] }],
}

/** Each subject once, each in its own transaction. */
export async function repairAll(
  database: Database,
  problems: readonly Problem[],
  history: History | null,
): Promise<void> {
  const subjects = new Map(
    problems.flatMap(({ mends }) => (mends ? [[`${mends.kind} ${mends.id}`, mends] as const] : [])),
  )
  for (const { kind, id } of subjects.values()) {
    // First: a part without its file is archived again in any case.
    if (kind === 'part') await history!.bucket.delete([String(id)])
    await database.batch(REPAIRS[kind](id as never))
    log('warn', { repaired: `${kind} ${id}` })
  }
}

const IN_A_BACKUP =
  'The database alone does not say what it was. Restore the last backup that is good; reports that came since can be imported from the damaged one.'
const REPAIR = 'Computed from other rows, so --repair mends it.'

/** How a problem is mended, in a sentence. */
export const remedyOf = (subject: Subject | undefined): string =>
  subject === undefined ? IN_A_BACKUP : REPAIR

/** `hour 2026-03-02T06:00Z` */
export const hourNamed = (hour: number): string =>
  `hour ${formatTimestamp(hourStart(hour)).slice(0, 16)}Z`
