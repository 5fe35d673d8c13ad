/** What the failing nodes of a cause have in common. */

import type { Trait, TraitName, Traits } from '../../insight/causes/traits.ts'
import { short } from '../../lib/code-version.ts'
import { number } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { card } from './list.ts'
import { table } from './table.ts'

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
