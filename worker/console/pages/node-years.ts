/** The life of a node: its months, when and why it failed, its versions and what changed it, as far back as the history reaches. */

import { nodeYearsRows, nodeYears, type NodeYears } from '../../insight/years/node-years.ts'
import type { FailureStretch, MonthOfNode, VersionOfNode } from '../../insight/years/summary.ts'
import type { YearRun } from '../../insight/years/year-run.ts'
import { short } from '../../lib/code-version.ts'
import { causeAddress, hintOf, nodeAddress, reportAddress } from '../address.ts'
import { counted, duration, number, percent } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { card, exports, nothing, pager, title } from '../parts/list.ts'
import { mark } from '../parts/mark.ts'
import { table } from '../parts/table.ts'
import { moment } from '../parts/time.ts'
import { missingFiles, yearsReach, yearsSource } from '../parts/years.ts'
import type { Visit } from '../visit.ts'

const LISTED = 50

const givenOf = ({ names, url }: Visit) => ({
  certname: names['certname'] ?? '',
  cursor: url.searchParams.get('cursor') || null,
  limit: LISTED,
})

export async function show(visit: Visit): Promise<Page> {
  const { answer } = await nodeYears(await yearsSource(visit), givenOf(visit))
  const { certname, runs, failed, next } = answer
  const remark =
    runs === 0
      ? 'No runs'
      : `${counted(runs, 'run')}, ${number(failed)} failed (${percent(failed / runs)})`
  return {
    title: `${certname} · years · ${remark}`,
    body: html`${title(
      `Years of ${certname}`,
      html`${remark}. ${yearsReach(answer.looked, visit.now)}`,
      exports(visit, null),
      html`<a href="/console/nodes">Nodes</a> / <a href="${nodeAddress(certname)}">${certname}</a>`,
    )}
    ${missingFiles(answer.looked, 'runs')}
    ${
      runs === 0
        ? nothing('No run of this node was found in this time.')
        : html`<div class="cols">
            <div class="col">
              ${months(answer.months)}${failures(answer, visit.now)}${changes(answer, visit.now)}
            </div>
            <div class="col">
              ${versions('Code versions', answer.code_versions, visit.now)}${versions('Agent versions', answer.agent_versions, visit.now)}
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

const months = (some: readonly MonthOfNode[]): Html =>
  card(
    { name: 'Months', note: 'UTC' },
    table(some, [
      ...(['month', 'runs', 'failed', 'corrective', 'changed', 'pending', 'events'] as const),
      ['Median run', 'n labelled', ({ seconds }) => duration(seconds)],
    ]),
  )

const mostNote = (some: readonly object[]): string =>
  some.length < LISTED ? String(some.length) : `the newest ${LISTED}`

/** Leads to the report also where it has left the database. */
const reportLink = (certname: string, hash: string, time: string, now: number): Html =>
  html`<a href="${reportAddress(hash, '', hintOf(certname, time))}">${moment(time, now)}</a>`

function failures({ certname, failures: some }: NodeYears, now: number): Html {
  if (some.length === 0) return NONE
  return card(
    { name: 'Failed', note: mostNote(some) },
    table(some, [
      [
        'Since',
        'name',
        ({ since, report, is_cut: isCut }) =>
          html`${reportLink(certname, report, since, now)}${isCut ? ' or before' : ''}`,
      ],
      [
        'Until',
        'labelled',
        ({ until }) => (until === null ? 'its latest run' : moment(until, now)),
      ],
      'runs',
      ['Why', 'labelled', ({ causes }) => causeLinks(causes)],
    ]),
  )
}

const LISTED_CAUSES = 3

function causeLinks(causes: FailureStretch['causes']): Html {
  const more = causes.length - LISTED_CAUSES
  return html`${each(
    causes.slice(0, LISTED_CAUSES),
    ({ cause, reason }) => html`<div><a href="${causeAddress(cause)}">${reason ?? cause}</a></div>`,
  )}${more > 0 ? html`<div class="muted">and ${counted(more, 'more cause')}</div>` : NONE}`
}

const changes = ({ certname, changes: some }: NodeYears, now: number): Html =>
  some.length === 0
    ? NONE
    : card(
        { name: 'Changes', note: mostNote(some) },
        table<YearRun>(some, [
          ['Run', 'name', ({ hash, time }) => reportLink(certname, hash, time, now)],
          ['State', 'state', (run) => mark({ ...run, derived: false, fact_errors: false })],
          'events',
          'code_version',
        ]),
      )

const versions = (name: string, some: readonly VersionOfNode[], now: number): Html =>
  some.length === 0
    ? NONE
    : card(
        { name, note: mostNote(some) },
        table(some, [
          [
            'Version',
            'name',
            ({ version }) => html`<span title="${version}">${short(version)}</span>`,
          ],
          ['First run', 'labelled', ({ first }) => moment(first, now)],
          ['Last run', 'labelled', ({ last }) => moment(last, now)],
          'runs',
          'failed',
        ]),
      )
