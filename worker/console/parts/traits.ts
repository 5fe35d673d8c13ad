/** What the failing nodes of a cause have in common, and the nodes that run its code next. */

import type { Trait, TraitName, Traits } from '../../insight/causes/traits.ts'
import type { NextNode } from '../../insight/incident/incident.ts'
import { short } from '../../lib/code-version.ts'
import { counted, number } from '../format.ts'
import { html, NONE, type Content, type Html } from '../html.ts'
import { card } from './list.ts'
import { table } from './table.ts'
import { moment } from './time.ts'

/** A trait in words, before its value. */
const WORDS: Readonly<Record<TraitName, string>> = {
  name: 'name begins with',
  environment: 'environment',
  code: 'code',
  agent: 'agent',
  compiler: 'compiled by',
}

export function traitsPart({ failing, others, traits }: Traits): Html {
  if (traits.length === 0) return NONE
  const share = (some: number, all: number): Html => html`<b>${number(some)}</b> of ${number(all)}`
  return card(
    { name: 'What they have in common' },
    html`${table<Trait>(traits, [
        [
          'Trait',
          'row',
          (one) => html`${WORDS[one.trait]} <span class="mono">${valueOf(one)}</span>`,
        ],
        ['Failing nodes', 'n labelled', (one) => share(one.failing, failing)],
        ['Others', 'n labelled', (one) => share(one.others, others)],
      ])}
      <p class="foot">Sorted by how well each tells failing nodes from the others.</p>`,
  )
}

const valueOf = ({ trait, value }: Trait): string => (trait === 'code' ? short(value) : value)

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
