/** `compare_runs`: what differs between two runs of a node. */

import { reportDiffRead } from '../../../insight/reports/report-diff.ts'
import { readOne } from '../../../store/batch-read.ts'
import { diffHeadLines, diffLogLines, diffMetricLines } from '../diff-lines.ts'
import { diffLink } from '../links.ts'
import { eventLine, firstOf } from '../report-lines.ts'
import { asData, asTime, DATA_NOTE, section } from '../text.ts'
import { textIn, viewFor, type Tool } from '../tool.ts'

const MOST_GONE = 5

export const COMPARE_RUNS: Tool = {
  name: 'compare_runs',
  title: 'Compare runs',
  description:
    'What differs between a run and an earlier one of the same node: code, agent and environment, events, log lines, times. Only differences are listed.',
  takes: {
    report: { type: 'string', description: 'The hash of the later report.' },
    against: {
      type: 'string',
      default: 'good',
      description: 'The earlier one: good (the last that did not fail), previous, or a hash.',
    },
  },
  required: ['report'],
  async answer(source, given) {
    const hash = textIn(given, 'report') ?? ''
    const against = textIn(given, 'against') ?? 'good'
    const view = await viewFor(source, {})
    const diff = await readOne(source.database, reportDiffRead(view, hash, { against }))
    const { from, to, events } = diff
    const { now } = source
    return [
      DATA_NOTE,
      `${asData(to.certname)}: ${from.state} run of ${asTime(from.start_time, now)} (report ${from.hash}, ${from.seconds} s) compared with the ${to.state} run of ${asTime(to.start_time, now)} (report ${to.hash}, ${to.seconds} s).`,
      `${events.equal} events are equal, ${events.changed.length} changed, ${events.added.length} only in the later, ${events.removed.length} only in the earlier.`,
      ...section('Differences:', diffHeadLines(diff)),
      ...section('Only in the earlier:', firstOf(events.removed, MOST_GONE, eventLine)),
      ...section('Log:', diffLogLines(diff)),
      ...section('Seconds, greatest change first:', diffMetricLines(diff)),
      '',
      `Console: ${diffLink(source, from.hash, to.hash)}`,
    ]
  },
}
