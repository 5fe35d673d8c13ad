/** `why_is_node_failing`: a node's latest run, why it failed, since when, and what differs from its last good run. */

import { nodePageRead, type NodePage } from '../../../insight/nodes/node-page.ts'
import { reportDiffRead } from '../../../insight/reports/report-diff.ts'
import { reportPageRead } from '../../../insight/reports/report-page.ts'
import { readAll, readOne } from '../../../store/batch-read.ts'
import { reportCauseLine } from '../cause-lines.ts'
import { diffHeadLines } from '../diff-lines.ts'
import { nodeLink, reportLink } from '../links.ts'
import { failureLines, loudLines } from '../report-lines.ts'
import { asData, asTime, amount, DATA_NOTE, orDash, section } from '../text.ts'
import { CERTNAME, textIn, viewFor, type Tool, type ToolSource } from '../tool.ts'

/** Runs of the node that are summed up. */
const RUNS = 20

export const WHY_IS_NODE_FAILING: Tool = {
  name: 'why_is_node_failing',
  title: 'Why is a node failing',
  description:
    'One node: the state of its latest run, why it failed with the failed resources and error lines, since when, its last good run and what differs from it. Also answers for nodes that do not fail.',
  takes: { certname: CERTNAME },
  required: ['certname'],
  answer: (source, given) => nodeLines(source, textIn(given, 'certname') ?? ''),
}

/** @throws NotFound where no node of that name is visible */
export async function nodeLines(source: ToolSource, certname: string): Promise<string[]> {
  const view = await viewFor(source, {})
  const node = await readOne(source.database, nodePageRead(view, certname, { runs: RUNS }))
  const head = [DATA_NOTE, ...stateLines(source, node)]
  const end = ['', `Console: ${nodeLink(source, certname)}`]
  if (node.report === null) return [...head, ...end]
  const compared = node.failing !== null && node.last_good_report !== null
  const { report, diff } = await readAll(source.database, {
    report: reportPageRead(view, node.report),
    ...(compared ? { diff: reportDiffRead(view, node.report, { against: 'good' }) } : {}),
  })
  return [
    ...head,
    ...section(
      'Why:',
      node.causes.map((cause) => reportCauseLine(source, cause)),
    ),
    ...section('Failed resources of the latest run:', failureLines(report)),
    ...section('Errors and warnings in its log:', loudLines(report)),
    ...(diff ? section('Different from the last good run:', diffHeadLines(diff)) : []),
    ...end,
  ]
}

function stateLines(source: ToolSource, node: NodePage): string[] {
  const { now } = source
  const { run, runs, failing } = node
  if (run === null) return [`${asData(node.certname)} has never sent a report.`]
  const failed = runs.filter(({ state }) => state === 'failed').length
  const inactive = node.deactivated ?? node.expired
  return [
    `${asData(node.certname)} in ${orDash(node.environment)}: ${run.state}${run.noop ? ' (noop)' : ''}${run.fact_errors ? ', with fact errors' : ''}${node.silent ? ', silent' : ''}; latest run ${asTime(node.time, now)}, took ${node.seconds} s, agent ${orDash(node.agent_version)}, code ${orDash(node.code_version)}.`,
    ...(inactive === null
      ? []
      : [
          `The node is ${node.deactivated ? 'deactivated' : 'expired'} since ${asTime(inactive, now)}.`,
        ]),
    failing === null
      ? 'It is not failing now.'
      : `Failing since ${asTime(failing.since, now)}, for ${amount(failing.runs, 'run')}; first failed report ${failing.report}.`,
    node.last_good_report === null
      ? 'No good run of it is stored.'
      : `Last good run ${asTime(node.last_good, now)}: report ${node.last_good_report}.`,
    `Of its last ${amount(runs.length, 'run')}, ${failed} failed. Latest report ${node.report} ${reportLink(source, node.report!)}`,
  ]
}
