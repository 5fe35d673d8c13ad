/** The fleet in numbers: nodes by what their latest report came to, and those that are silent. */

import { formatTimestamp } from '../lib/time.ts'
import { decodeState, STATES } from '../schema/states.ts'
import type { Row } from '../store/database.ts'
import { fleetStatement } from './fleet-sql.ts'
import type { BatchRead } from '../store/batch-read.ts'
import { momentOf } from './key-time.ts'
import type { Fleet, NodeCounts } from './shapes.ts'
import type { View } from './view.ts'

export const askFleet = (view: View): BatchRead<Fleet> => ({
  statements: [fleetStatement(view)],
  read: ([rows]) => fleetOf(rows!, view.now),
})

function fleetOf(rows: readonly Row[], now: number): Fleet {
  const names = [...new Set(rows.map(([, environment]) => environment as string | null))]
  const environments = names.map((environment) => ({
    environment,
    ...countsOf(rows.filter((row) => row[1] === environment)),
  }))
  const newest = rows.map((row) => row[4]).filter((key) => key !== null)
  return {
    as_of: formatTimestamp(now),
    newest: newest.length === 0 ? null : momentOf(Math.max(...(newest as number[]))),
    ...countsOf(rows),
    environments: environments.sort(
      (one, other) =>
        other.states[0]!.count - one.states[0]!.count ||
        other.nodes - one.nodes ||
        ((one.environment ?? '') < (other.environment ?? '') ? -1 : 1),
    ),
  }
}

const sumOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, row) => sum + (row[3] as number), 0)

function countsOf(rows: readonly Row[]): NodeCounts {
  const reported = rows.filter(([state]) => state !== null)
  const states = STATES.flatMap(({ name }) =>
    [false, true].map((noop) => {
      const those = reported.filter(([code]) => {
        const run = decodeState(code as number)
        return run.state === name && run.noop === noop
      })
      const silent = those.filter(([, , isSilent]) => isSilent === 1)
      return { state: name, noop, count: sumOf(those), silent: sumOf(silent) }
    }),
  )
  return {
    nodes: sumOf(rows),
    states,
    silent: states.reduce((sum, { silent }) => sum + silent, 0),
    never_reported: sumOf(rows) - sumOf(reported),
  }
}
