/** The life of a node: its months, when and why it failed, its versions and what changed it, as far back as the history reaches. */

import { nodeYears, nodeYearsRows } from '../../insight/years/node-years.ts'
import type { MonthOfNode } from '../../insight/years/summary.ts'
import { filled, nodeAddress } from '../address.ts'
import { counted, duration, number, percent } from '../format.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { exports, nothing, pager, title } from '../parts/list.ts'
import { changedRuns, failuresOf, LISTED, versionsOf } from '../parts/node-life.ts'
import type { TableColumn } from '../parts/table.ts'
import { missingFiles, monthsCard, yearsReach, yearsSource } from '../parts/years.ts'
import type { Visit } from '../visit.ts'

/** What a month is told by. */
const OF_MONTH: readonly (TableColumn<MonthOfNode> | keyof MonthOfNode)[] = [
  'runs',
  'failed',
  'corrective',
  'changed',
  'pending',
  'events',
  ['Median run', 'n labelled', ({ seconds }) => duration(seconds)],
]

const givenOf = ({ names, url }: Visit) => ({
  certname: names['certname'] ?? '',
  cursor: filled(url.searchParams, 'cursor'),
  limit: LISTED,
})

export async function show(visit: Visit): Promise<Page> {
  const { answer } = await nodeYears(await yearsSource(visit), givenOf(visit))
  const { certname, runs, failed, next } = answer
  const { now } = visit
  const remark =
    runs === 0
      ? 'No runs'
      : `${counted(runs, 'run')}, ${number(failed)} failed (${percent(failed / runs)})`
  return {
    title: `${certname} · years · ${remark}`,
    body: html`${title(
      `Years of ${certname}`,
      html`${remark}. ${yearsReach(answer.looked, now)}`,
      exports(visit, null),
      html`<a href="/console/nodes">Nodes</a> / <a href="${nodeAddress(certname)}">${certname}</a>`,
    )}
    ${missingFiles(answer.looked, 'runs')}
    ${
      runs === 0
        ? nothing('No run of this node was found in this time.')
        : html`<div class="cols">
            <div class="col">
              ${monthsCard(answer.months, OF_MONTH)}${failuresOf(answer, now)}${changedRuns(answer, now)}
            </div>
            <div class="col">
              ${versionsOf('Code versions', answer.code_versions, now)}${versionsOf('Agent versions', answer.agent_versions, now)}
            </div>
          </div>`
    }
    ${pager(visit, next, next === null ? 'The history holds no older runs of this node.' : 'The years before are on the next page.')}`,
  }
}

/** All runs of the node, for the exports. */
export async function* rows(visit: Visit): AsyncGenerator<readonly string[]> {
  yield* nodeYearsRows(await yearsSource(visit), givenOf(visit), false)
}
