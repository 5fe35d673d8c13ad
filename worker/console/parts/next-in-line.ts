/** The nodes that run the code of an incident next. */

import type { NextNode } from '../../insight/incident/incident.ts'
import { counted, number } from '../format.ts'
import { html, NONE, type Content, type Html } from '../html.ts'
import { card } from './list.ts'
import { table } from './table.ts'
import { moment } from './time.ts'

/** Most nodes that are named; the map shows all. */
const NAMED = 12

export function nextPart(nodes: readonly NextNode[], now: number): Html {
  if (nodes.length === 0) return NONE
  const more = nodes.length - NAMED
  return card(
    { name: 'Next in line', note: counted(nodes.length, 'node') },
    html`${table<NextNode>(nodes.slice(0, NAMED), ['certname', ['Due', 'n', ({ due }) => dueIn(due, now)]], { look: 'list' })}
      <p class="foot">
        ${more > 0 ? `${number(more)} more. ` : ''}Due: the last run plus the node's usual interval.
      </p>`,
  )
}

const dueIn = (due: string | null, now: number): Content =>
  due === null ? '–' : Date.parse(due) <= now ? 'due now' : html`about ${moment(due, now)}`
