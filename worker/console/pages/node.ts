/** The page of one node: its state and since when, why it fails, its runs and how long they take. */

import { historyReachRead } from '../../insight/history-reach.ts'
import { metricSeriesRead } from '../../insight/nodes/metric-series.ts'
import { nodePageRead, type NodePage } from '../../insight/nodes/node-page.ts'
import { age, counted } from '../format.ts'
import { html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import { historyNote, sqlQuoted } from '../parts/history-reach.ts'
import { panel } from '../parts/list.ts'
import { wordOf } from '../parts/mark.ts'
import { nodeHead, whatPuppetSaid } from '../parts/node-head.ts'
import { latestRuns, METRIC, RUNS_READ, runStrip, runTimeChart } from '../parts/node-runs.ts'
import { answerOf, panels, wholeView, type Visit } from '../visit.ts'

export async function show(visit: Visit): Promise<Page> {
  const view = await wholeView(visit)
  const certname = visit.names['certname'] ?? ''
  const found = await panels(visit, {
    node: nodePageRead(view, certname, { runs: RUNS_READ }),
    series: metricSeriesRead(view, certname, { metrics: [METRIC], runs: RUNS_READ }),
    reach: historyReachRead(view),
  })
  const node = answerOf(found.node)
  return {
    title: node === null ? certname : titleOf(node, visit.now),
    ...newestOf(node?.time ?? null, certname),
    body: panel(
      visit,
      found.node,
      (answer) =>
        html`${nodeHead(visit, answer)}${runStrip(visit, answer)}
        ${whatPuppetSaid(answer)}${latestRuns(visit, answer)}${panel(visit, found.series, runTimeChart)}
        ${historyNote(answerOf(found.reach), runsOf(certname))}`,
    ),
  }
}

/** All runs of the node. */
const runsOf = (certname: string) =>
  ({
    table: 'reports',
    columns: 'producer_timestamp, status, hash',
    where: [`certname = ${sqlQuoted(certname)}`],
  }) as const

function titleOf({ certname, run, failing, silent, time }: NodePage, now: number): string {
  const state = run === null ? 'never reported' : wordOf(run)
  const since = failing === null ? '' : ` for ${counted(failing.runs, 'run')}`
  return silent && time !== null
    ? `${certname} · silent ${age(now - Date.parse(time))}, last run ${state}`
    : `${certname} · ${state}${since}`
}
