/** Checks the rows of nodes against their reports. */

import { FURTHEST_MOVE_MS } from '../schema/key.ts'
import { isNotFailedCode } from '../schema/states.ts'
import { COPIED_FROM_LATEST } from '../schema/tables.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import {
  flag,
  integer,
  json,
  nullable,
  selectText,
  text,
  typed,
  type RowOf,
} from '../sql/columns.ts'
import { hexOf, producerTimestampOf, firstKey, keyMilliseconds } from '../sql/encoding.ts'
import type { TypedStatement } from '../sql/statement.ts'
import type { Database } from '../store/database.ts'
import { MOST_RUNS, RUN_BYTES, runsOfNode, usualIntervalOf } from '../store/runs.ts'
import type { CheckedPage, Subject } from './checked-page.ts'

export async function checkNodes(database: Database, after: number): Promise<CheckedPage> {
  const [nodes] = await database.batch([nodesAfter(after)])
  const problems = nodes.flatMap((node) =>
    RULES_OF_NODE.flatMap(({ invariant, broken }) => {
      const how = broken(node)
      if (how === null) return []
      const mends: Subject = { kind: 'node', id: node.id }
      return [{ invariant, where: `node ${node.certname} (${node.id})${how}`, mends }]
    }),
  )
  return {
    checked: nodes.length,
    problems,
    next: nodes.length < NODE_PAGE ? null : nodes.at(-1)!.id,
  }
}

/** Nodes of a page: the check reads all reports of each. */
const NODE_PAGE = 50

const OF_AGENT = 'from reports r where r.node = n.id and r.type = 0'
const isOwn = (key: string): string =>
  `exists (select 1 from reports r where r.id = ${key} and r.node = n.id)`

const LACKS_STRING = ['environment', 'catalog_environment', 'facts_environment']
  .map(
    (column) =>
      `n.${column} is not null and not exists (select 1 from strings where id = n.${column} and kind = ${STRING_KINDS.environment})`,
  )
  .join(' or ')

const NODE = {
  id: integer('n.id'),
  certname: text('n.certname'),
  /** The node's latest report, and its node, type and time in ms. */
  latest: nullable(integer('n.latest')),
  latestNode: nullable(integer('l.node')),
  latestType: nullable(integer('l.type')),
  latestTime: nullable(integer(producerTimestampOf('l'))),
  /** Greatest producer timestamp of the node's agent reports, in ms. */
  greatestTime: nullable(integer(`(select max(${producerTimestampOf('r')}) ${OF_AGENT})`)),
  /** Whether the row refers to a missing string. */
  lacksString: flag(LACKS_STRING),
  /** What the row has of the latest report, and what that has. */
  copies: json<readonly (readonly [stored: unknown, latest: unknown])[], string>(
    `json_array(${COPIED_FROM_LATEST.map((column) => `json_array(n.${column}, l.${column})`).join(', ')})`,
  ),
  /** Greatest key of the node's agent reports, and of those that did not fail. */
  greatestKey: nullable(integer(`(select max(r.id) ${OF_AGENT})`)),
  greatestGood: nullable(
    integer(`(select max(r.id) ${OF_AGENT} and ${isNotFailedCode('r.state')})`),
  ),
  good: nullable(integer('n.good')),
  newest: nullable(integer('n.newest')),
  /** Whether a report of this node has that key. */
  ownGood: flag(isOwn('n.good')),
  ownNewest: flag(isOwn('n.newest')),
  /** In hex: the runs of the row, and those computed from its reports. */
  runs: nullable(text(hexOf('n.runs'))),
  recounted: nullable(text(hexOf(runsOfNode('n.id')))),
  /** In ms: the usual interval of the row, and that of its runs. */
  usual: nullable(integer('n.usual')),
  usualOfRuns: nullable(integer(usualIntervalOf(hexOf('n.runs')))),
}

/** A node as the check reads it. */
type StoredNode = RowOf<typeof NODE>

/** ?1 the node before the page. */
const READ = `select ${selectText(NODE)}
from nodes n left join reports l on l.id = n.latest where n.id > ?1 order by n.id limit ${NODE_PAGE}`

const nodesAfter = (id: number): TypedStatement<StoredNode> =>
  typed(NODE, { sql: READ, params: [id] })

interface NodeRule {
  readonly invariant: string
  /** How the node breaks it, to append to the node's name; null where it does not. */
  readonly broken: (node: StoredNode) => string | null
}

const lacksLatest = ({ latest, latestNode }: StoredNode): boolean =>
  latest !== null && latestNode === null
const isOthers = ({ id, latest, latestNode, latestType }: StoredNode): boolean =>
  latest !== null && latestNode !== null && (latestNode !== id || latestType !== 0)

/** The invariants of a node's row. Retention may delete any report but the latest, and does not change the row. */
const RULES_OF_NODE: readonly NodeRule[] = [
  {
    invariant: 'the latest report of a node exists',
    broken: (node) => (lacksLatest(node) ? `: report ${node.latest}` : null),
  },
  {
    invariant: "the latest report of a node is its agent's",
    broken: (node) => (isOthers(node) ? `: report ${node.latest}` : null),
  },
  {
    invariant: 'the latest report of a node has the greatest producer timestamp',
    broken: (node) =>
      lacksLatest(node) || isOthers(node) || node.latestTime === node.greatestTime
        ? null
        : `: latest is of ${node.latestTime}, the greatest is ${node.greatestTime}`,
  },
  {
    invariant: 'an environment of a node is in the dictionary',
    broken: ({ lacksString }) => (lacksString ? '' : null),
  },
  ...COPIED_FROM_LATEST.map((column, place): NodeRule => ({
    invariant: `the ${column.replaceAll('_', ' ')} of a node is that of its latest report`,
    broken({ copies }) {
      const [stored, latest] = copies[place]!
      return stored === latest ? null : `: it is ${stored}, and should be ${latest}`
    },
  })),
  {
    invariant: "the last good report of a node is its agent's newest that did not fail",
    broken: ({ good, greatestGood, ownGood, newest }) =>
      isGreatest(good, greatestGood, ownGood, newest)
        ? null
        : `: it is ${good}, the newest there is ${greatestGood}`,
  },
  {
    invariant: "the newest report of a node is its agent's with the greatest key",
    broken: ({ newest, greatestKey, ownNewest, latest }) =>
      isGreatest(newest, greatestKey, ownNewest, furthestKey(latest))
        ? null
        : `: it is ${newest}, the greatest there is ${greatestKey}`,
  },
  {
    invariant: 'the runs of a node are whole, and as many as it keeps',
    broken: ({ runs, newest }) => {
      const length = (runs ?? '').length
      const right = length % RUN === 0 && length <= MOST_RUNS * RUN
      return right && length > 0 === (newest !== null) ? null : `: they are of ${length / 2} bytes`
    },
  },
  {
    invariant: 'the runs of a node begin with its newest report',
    broken: ({ newest, greatestKey, runs, recounted }) => {
      if (newest !== greatestKey) return null
      const [first, right] = [runsOf(runs)[0], runsOf(recounted)[0]]
      return first === right ? null : `: ${first}, and should be ${right}`
    },
  },
  {
    invariant: 'the reports of a node are among its runs, in their order',
    broken: ({ runs, recounted }) => {
      const lost = lostRun(runsOf(runs), runsOf(recounted))
      return lost === null ? null : `: ${lost} is not`
    },
  },
  {
    invariant: 'the usual interval of a node is that of its runs',
    broken: ({ usual, usualOfRuns }) =>
      usual === usualOfRuns ? null : `: it is ${usual} ms, and should be ${usualOfRuns}`,
  },
]

/**
 * Whether `key` can be the greatest of reports that retention may have deleted: the greatest stored key or,
 * if no report of the node has that key, a greater key up to `most`.
 */
function isGreatest(
  key: number | null,
  greatest: number | null,
  isOwn: boolean,
  most: number | null,
): boolean {
  if (key === greatest) return true
  return key !== null && !isOwn && key > (greatest ?? -Infinity) && key <= (most ?? -Infinity)
}

/** Upper bound of the keys of reports that are not newer than the latest. */
const furthestKey = (latest: number | null): number | null =>
  latest === null ? null : firstKey(keyMilliseconds(latest) + FURTHEST_MOVE_MS)

/** Number of hex digits of a run. */
const RUN = 2 * RUN_BYTES
const runsOf = (hex: string | null): string[] => (hex ?? '').toUpperCase().match(RUNS) ?? []
const RUNS = new RegExp(`.{${RUN}}`, 'g')
const secondOf = (run: string): string => run.slice(0, 8)

/** The first run of the reports that the row lacks. A full strip may lack older runs. */
function lostRun(runs: readonly string[], ofReports: readonly string[]): string | null {
  const isFull = runs.length === MOST_RUNS
  let from = 0
  for (const run of ofReports) {
    const at = runs.indexOf(run, from)
    if (at >= 0) from = at + 1
    else if (!isFull || secondOf(run) > secondOf(runs.at(-1)!)) return run
  }
  return null
}
