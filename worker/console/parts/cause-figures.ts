/** The figures of a cause, and the nodes that run its code next. */

import type { CausePage } from '../../insight/causes/cause-page.ts'
import type { Incident, NextNode } from '../../insight/incident/incident.ts'
import { counted, number } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { each, html, NONE, type Content, type Html } from '../html.ts'
import { card } from './list.ts'
import { table } from './table.ts'
import { exactly, hour, isToday, moment, when } from './time.ts'

type Figure = readonly [name: string, value: Content, note: Content, hue?: string]

/** @param now in ms */
export function causeFigures(cause: CausePage, found: Incident | null, now: number): Html {
  const { failing, nodes, reports, events, since, first_seen, last_seen, acknowledged } = cause
  const group = found?.group ?? null
  const figures: readonly Figure[] = [
    [
      'Failing now',
      number(failing),
      group === null
        ? `of ${counted(nodes, 'node')} in the time chosen`
        : `of ${number(group.ran)} ${group.name} nodes that ran`,
      failing > 0 ? 'failed' : '',
    ],
    ...(group === null ? [] : [['Next in line', number(group.waiting), nextNote(group)] as const]),
    ...(since === null || since === first_seen
      ? []
      : [['Failing since', hour(since, now), when(since, now)] as const]),
    [
      'First failed',
      hour(first_seen, now),
      html`${isToday(first_seen, now) ? when(first_seen, now) : exactly(first_seen)}${beganWith(cause)}`,
    ],
    [
      'Failed runs',
      number(reports),
      html`${counted(events, 'failed event')}, last ${when(last_seen, now)}`,
    ],
    [
      'Owner',
      acknowledged?.holds ? acknowledged.by : '–',
      acknowledged?.holds ? html`until ${moment(acknowledged.until, now)}` : 'not acknowledged',
    ],
  ]
  return html`<dl class="figs">
    ${each(figures, ([name, value, note, hue]) => html`<div><dt>${name}</dt><dd${hue ? html` class="${hue}"` : ''}>${value}</dd><dd>${note}</dd></div>`)}
  </dl>`
}

const nextNote = ({ next_minutes }: NonNullable<Incident['group']>): string =>
  next_minutes === null
    ? 'have not run it yet'
    : `the next within ${next_minutes === 1 ? 'a minute' : `${next_minutes} minutes`}`

/** The code version that it began with, if there is one. */
const beganWith = ({ began_with }: CausePage): Content =>
  began_with === null ? '' : html`, with <b class="mono">${short(began_with.code_version)}</b>`

/** Most nodes that are named; the map shows all. */
const NAMED = 12

export function nextPart(nodes: readonly NextNode[], now: number): Html {
  if (nodes.length === 0) return NONE
  const more = nodes.length - NAMED
  return card(
    { name: 'Next in line', note: counted(nodes.length, 'node') },
    html`${table<NextNode>(nodes.slice(0, NAMED), ['certname', ['Due', 'n', ({ due }) => dueIn(due, now)]], { look: 'list' })}
      <p class="foot">
        ${more > 0 ? `${number(more)} more. ` : ''}Due: the last run plus the time between the last
        two.
      </p>`,
  )
}

const dueIn = (due: string | null, now: number): Content =>
  due === null ? '–' : Date.parse(due) <= now ? 'due now' : html`about ${moment(due, now)}`
