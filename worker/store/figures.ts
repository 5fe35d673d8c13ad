/** The figures of the whole store and its fleet, for metrics: one batch, one moment. */

import { HOUR } from '../schema/clocks.ts'
import { SLOTS } from '../schema/key.ts'
import { codesOf, STATES, type StateName } from '../schema/states.ts'
import type { Statement } from '../sql/statement.ts'
import type { Database } from './database.ts'

/** Ages in seconds that nodes are counted by. */
export const AGES = [1800, 3600, 7200, 21_600, 86_400, 604_800] as const

export interface Figures {
  readonly activeNodes: number
  readonly deactivatedNodes: number
  readonly expiredNodes: number
  /** Active nodes by the state of their last run (states.ts), and whether it only would have been so. */
  readonly runs: readonly (readonly [state: StateName, noop: boolean, nodes: number])[]
  /** Active nodes that ended a run within so many seconds, in the order of AGES. */
  readonly within: readonly number[]
  /** Seconds since the end of the last run, of the active node for which that is longest; null without nodes. */
  readonly oldestRunSeconds: number | null
  readonly meanDurationSeconds: number | null
  readonly longestDurationSeconds: number | null
  readonly reports: number
  /** In ms. */
  readonly oldestReport: number | null
  readonly newestReport: number | null
  readonly openHours: number
  readonly ignoredCommands: readonly (readonly [command: string, count: number])[]
  /** How far each rule of retention has come, in ms. */
  readonly sweeps: readonly (readonly [rule: string, until: number])[]
  readonly databaseBytes: number
}

const ACTIVE = 'n.deactivated IS NULL AND n.expired IS NULL'
const LAST_RUNS = `FROM nodes n JOIN reports r ON r.id = n.latest WHERE ${ACTIVE}`

/** ?1 now, in ms. */
const STATEMENTS = {
  nodes: `SELECT coalesce(sum(${ACTIVE}), 0) AS c0, coalesce(sum(n.deactivated IS NOT NULL), 0) AS c1,
    coalesce(sum(n.deactivated IS NULL AND n.expired IS NOT NULL), 0) AS c2 FROM nodes n`,
  runs: `SELECT n.state, count(*) AS c1 FROM nodes n WHERE ${ACTIVE} AND n.state IS NOT NULL GROUP BY 1`,
  ages: `SELECT ${AGES.map((age, index) => `coalesce(sum(?1 - r.end_time <= ${age * 1000}), 0) AS c${index}`).join(', ')},
    max(?1 - r.end_time) / 1000.0 AS oldest, avg(r.end_time - r.start_time) / 1000.0 AS mean, max(r.end_time - r.start_time) / 1000.0 AS longest ${LAST_RUNS}`,
  reports: `SELECT (SELECT coalesce(sum(count), 0) FROM hour_counts WHERE hour NOT IN (SELECT hour FROM open_hours))
    + (SELECT count(*) FROM open_hours o CROSS JOIN reports r NOT INDEXED ON r.id >= o.hour * ${HOUR * SLOTS} AND r.id < (o.hour + 1) * ${HOUR * SLOTS}) AS c0,
    (SELECT min(id) FROM reports) >> 10 AS c1, (SELECT max(id) FROM reports) >> 10 AS c2, (SELECT count(*) FROM open_hours) AS c3`,
  ignored: 'SELECT command, count FROM ignored_commands ORDER BY command',
  sweeps: 'SELECT rule, cursor >> 10 AS c1 FROM retention_progress ORDER BY rule',
} as const

/** @param now in ms */
export async function readFigures(database: Database, now: number): Promise<Figures> {
  const results = await database.batch(
    Object.values(STATEMENTS).map((sql): Statement => ({
      sql,
      params: sql.includes('?1') ? [now] : [],
    })),
  )
  const [[nodes], runs, [ages], [reports], ignored, sweeps] = results as unknown as [
    [number[]],
    [code: number, nodes: number][],
    [(number | null)[]],
    [(number | null)[]],
    [string, number][],
    [string, number][],
  ]
  const [oldestRunSeconds, meanDurationSeconds, longestDurationSeconds] = ages.slice(AGES.length)
  return {
    activeNodes: nodes[0]!,
    deactivatedNodes: nodes[1]!,
    expiredNodes: nodes[2]!,
    runs: byState(runs),
    within: ages.slice(0, AGES.length).map(Number),
    oldestRunSeconds: oldestRunSeconds ?? null,
    meanDurationSeconds: meanDurationSeconds ?? null,
    longestDurationSeconds: longestDurationSeconds ?? null,
    reports: Number(reports[0]),
    oldestReport: reports[1] ?? null,
    newestReport: reports[2] ?? null,
    openHours: Number(reports[3]),
    ignoredCommands: ignored,
    sweeps,
    databaseBytes: database.usage.databaseBytes,
  }
}

const byState = (rows: readonly (readonly [code: number, nodes: number])[]): Figures['runs'] =>
  STATES.flatMap(({ name }) =>
    [false, true].map((noop) => {
      const codes = codesOf([name], noop)
      const those = rows.filter(([code]) => codes.includes(code))
      return [name, noop, those.reduce((sum, [, nodes]) => sum + nodes, 0)] as const
    }),
  )
