/** Nodes with what their latest report came to, and a strip of their last runs. */

import { codeVersionOf } from '../../report/code-version.ts'
import { codesOf, decodeState, STATES } from '../../schema/states.ts'
import type { Row } from '../../store/database.ts'
import { nodePage, nodeTotal, type NodeChoice } from './node-row.ts'
import { unpackRuns, unpackStates } from '../../store/runs.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { cursorOf, positionOf } from '../cursor.ts'
import { momentOrNull } from '../key-time.ts'
import type { NodeRow, NodesOptions, Page, Strip, StripRun } from '../shapes.ts'
import type { View } from '../view.ts'

export function askNodes(view: View, options: NodesOptions): BatchRead<Page<NodeRow>> {
  const choice = choiceOf(options)
  const after = options.cursor === null ? null : positionOf(options.cursor, [0, ''] as const)
  return {
    // One more than the page holds tells whether there is another.
    statements: [nodePage(view, choice, after, options.limit + 1), nodeTotal(view, choice)],
    read: ([rows, total]) => {
      const page = rows!.slice(0, options.limit)
      const last = rows!.length > options.limit ? page.at(-1)! : null
      return {
        total: total![0]![0] as number,
        items: page.map((row) => nodeRow(row, options.runs)),
        next: last && cursorOf([last[17] as number, last[0] as string]),
      }
    },
  }
}

/** How many nodes there are in a view, whatever is chosen of them. */
export const askNodeCount = (view: View): BatchRead<number> => ({
  statements: [nodeTotal(view, { states: null, silent: null, search: null, sort: 'worst' })],
  read: ([rows]) => rows![0]![0] as number,
})

/** Times and durations are read only for whoever asks: a page draws thousands of runs without. */
function stripOf(hex: string, most: number): Strip {
  let known: readonly StripRun[] | undefined
  const runs = () => (known ??= unpackRuns(hex, most))
  return { states: unpackStates(hex, most), runs, toJSON: runs }
}

const NAMES = STATES.map(({ name }) => name)

const choiceOf = ({ states, noop, silent, search, sort }: NodesOptions): NodeChoice => ({
  states: states === null && noop === null ? null : codesOf(states ?? NAMES, noop),
  silent,
  search,
  sort,
})

/** A row of `nodeColumns` in store/insight/nodes.ts. */
export function nodeRow(row: Row, runs: number): NodeRow {
  const [certname, state, latest, silent, environment, hash, duration, agent, codeId, version] = row
  const reported = state !== null
  return {
    certname: certname as string,
    run: reported ? decodeState(state as number) : null,
    silent: silent === 1,
    environment: environment as string | null,
    time: momentOrNull(latest),
    report: reported ? (hash as string) : null,
    seconds: reported ? (duration as number) / 1000 : null,
    agent_version: agent as string | null,
    code_version: reported
      ? codeVersionOf({
          codeId: codeId as string | null,
          configurationVersion: version as string,
        })
      : null,
    events: reported
      ? {
          failures: row[10] as number,
          successes: row[11] as number,
          noops: row[12] as number,
          skips: row[13] as number,
        }
      : null,
    last_good: momentOrNull(row[14]),
    strip: stripOf((row[15] as string | null) ?? '', runs),
  }
}
