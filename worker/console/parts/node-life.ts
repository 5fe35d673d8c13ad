/** The life of a node in cards: when and why it failed, what changed it, and its versions. */

import type { NodeYears } from '../../insight/years/node-years.ts'
import type { FailureStretch, VersionOfNode } from '../../insight/years/summary.ts'
import type { YearRun } from '../../insight/years/year-run.ts'
import { short } from '../../lib/code-version.ts'
import { causeAddress, hintOf, reportAddress } from '../address.ts'
import { counted } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import { tableCard } from './list-card.ts'
import { mark } from './mark.ts'
import { moment } from './time.ts'

/** Most items of a card. */
export const LISTED = 50

const mostNote = (some: readonly object[]): string =>
  some.length < LISTED ? String(some.length) : `the newest ${LISTED}`

/** Leads to the report also where it has left the database. */
const reportLink = (certname: string, hash: string, time: string, now: number): Html =>
  html`<a href="${reportAddress(hash, '', hintOf(certname, time))}">${moment(time, now)}</a>`

export const failuresOf = ({ certname, failures: some }: NodeYears, now: number): Html =>
  tableCard<FailureStretch>({ name: 'Failed', note: mostNote(some) }, some, [
    [
      'Since',
      'name',
      ({ since, report, is_cut: isCut }) =>
        html`${reportLink(certname, report, since, now)}${isCut ? ' or before' : ''}`,
    ],
    ['Until', 'labelled', ({ until }) => (until === null ? 'its latest run' : moment(until, now))],
    'runs',
    ['Why', 'labelled', ({ causes }) => causeLinks(causes)],
  ])

const LISTED_CAUSES = 3

function causeLinks(causes: FailureStretch['causes']): Html {
  const more = causes.length - LISTED_CAUSES
  return html`${each(
    causes.slice(0, LISTED_CAUSES),
    ({ cause, reason }) => html`<div><a href="${causeAddress(cause)}">${reason ?? cause}</a></div>`,
  )}${more > 0 ? html`<div class="muted">and ${counted(more, 'more cause')}</div>` : NONE}`
}

export const changedRuns = ({ certname, changes: some }: NodeYears, now: number): Html =>
  tableCard<YearRun>({ name: 'Changes', note: mostNote(some) }, some, [
    ['Run', 'name', ({ hash, time }) => reportLink(certname, hash, time, now)],
    ['State', 'state', (run) => mark({ ...run, derived: false, fact_errors: false })],
    'events',
    'code_version',
  ])

export const versionsOf = (name: string, some: readonly VersionOfNode[], now: number): Html =>
  tableCard<VersionOfNode>({ name, note: mostNote(some) }, some, [
    ['Version', 'name', ({ version }) => html`<span title="${version}">${short(version)}</span>`],
    ['First run', 'labelled', ({ first }) => moment(first, now)],
    ['Last run', 'labelled', ({ last }) => moment(last, now)],
    'runs',
    'failed',
  ])
