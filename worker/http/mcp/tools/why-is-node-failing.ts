/** `why_is_node_failing`: a node's latest run, why it failed, since when, and what differs from its last good run. */

import { nodeListRead } from '../../../insight/nodes/node-list.ts'
import { nodePageRead, type NodePage } from '../../../insight/nodes/node-page.ts'
import { reportDiffRead, type ReportDiff } from '../../../insight/reports/report-diff.ts'
import { reportPageRead, type ReportPage } from '../../../insight/reports/report-page.ts'
import type { View } from '../../../insight/view.ts'
import { NotFound, QueryError } from '../../../lib/errors.ts'
import { asRequiredText } from '../../../schema/readers.ts'
import { ALL_STATES } from '../../../schema/states.ts'
import { readAll, readOne } from '../../../store/batch-read.ts'
import { toolLines, viewFor, type Tool, type ToolSource } from '../tool.ts'

/** Runs of the node that are counted. */
const RUNS = 20
/** Nodes that are named where a part of a name fits several. */
const MOST_NAMED = 5

export const WHY_IS_NODE_FAILING: Tool = {
  name: 'why_is_node_failing',
  title: 'Why is a node failing',
  description:
    'One node: the state of its latest run, why it failed with the failed resources and error lines, since when, its last good run and what differs from it. Also answers for nodes that do not fail.',
  takes: { certname: asRequiredText('The certname of a node, or the beginning of it.') },
  answer: (source, { certname }) => nodeLines(source, String(certname)),
}

/** @throws NotFound where no visible node has that name, QueryError where several begin with it */
export async function nodeLines(source: ToolSource, named: string): Promise<readonly string[]> {
  const view = await viewFor(source)
  const node = await nodeNamed(source, view, named)
  const page = `/console/nodes/${encodeURIComponent(node.certname)}`
  const { runs, ...head } = node
  const answer = {
    ...head,
    last_runs: runs.length,
    failed_runs: runs.filter(({ state }) => state === 'failed').length,
  }
  if (node.report === null) return toolLines(source, answer, page)
  const isCompared = node.failing !== null && node.last_good_report !== null
  const { report, diff } = await readAll(source.database, {
    report: reportPageRead(view, node.report),
    ...(isCompared ? { diff: reportDiffRead(view, node.report, { against: 'good' }) } : {}),
  })
  const different = diff === undefined ? null : differences(diff)
  return toolLines(source, { ...answer, ...troubles(report), different }, page)
}

async function nodeNamed(source: ToolSource, view: View, named: string): Promise<NodePage> {
  const read = (certname: string) =>
    readOne(source.database, nodePageRead(view, certname, { runs: RUNS }))
  try {
    return await read(named)
  } catch (error) {
    if (!(error instanceof NotFound) || named === '') throw error
    const names = await namesBeginning(source, view, named)
    if (names.length === 0) throw error
    if (names.length === 1) return read(names[0]!)
    throw new QueryError(`Several nodes begin with '${named}': ${names.join(', ')}.`)
  }
}

async function namesBeginning(
  source: ToolSource,
  view: View,
  named: string,
): Promise<readonly string[]> {
  const options = { ...ALL_STATES, silent: null, search: named, cursor: null, runs: 0 }
  const { items } = await readOne(
    source.database,
    nodeListRead(view, { ...options, sort: 'certname', limit: 500 }),
  )
  return items
    .map(({ certname }) => certname)
    .filter((certname) => certname.startsWith(named))
    .slice(0, MOST_NAMED)
}

/** The failed events of a run, and the errors and warnings of its log. */
const troubles = ({ report_events: events, logs }: ReportPage): object => ({
  failed_resources: events.filter(({ status }) => status === 'failure'),
  log: logs.filter(({ level }) => !['debug', 'info', 'notice'].includes(level)),
})

/** What differs from the last good run; the log and the metrics are asked for by compare_runs. */
const differences = ({ head, events: { added, changed } }: ReportDiff): object => ({
  head,
  added,
  changed,
})
