/** The nodes that a condition names: their reports have an index. */

import { sql, type SQL } from 'drizzle-orm'
import type { Predicate } from '../plan/plan.ts'
import type { Matches } from './matches.ts'
import { listRows } from './render.ts'
import { idsOf } from './values.ts'

export interface NamedNodes {
  /** One name for each node, whether it exists or not. */
  readonly nodes: readonly (string | number)[]
  /** Their ids, as rows with a column called `value`. */
  readonly rows: SQL
  /** The other terms of the condition. */
  readonly others: readonly Predicate[]
}

/** The nodes that the first suitable term names: equal to one, in a list, or matched by a pattern. */
export function namedNodes(terms: readonly Predicate[], matches: Matches): NamedNodes | null {
  for (const term of terms) {
    const named = namedBy(term, matches)
    if (named) return { ...named, others: terms.filter((other) => other !== term) }
  }
  return null
}

type Named = Pick<NamedNodes, 'nodes' | 'rows'>

function namedBy(term: Predicate, matches: Matches): Named | null {
  if (!('field' in term) || term.field.name !== 'certname') return null
  switch (term.kind) {
    case 'equals':
      return byName([String(term.value)])
    case 'among':
      return byName(term.values.map(String))
    case 'matches': {
      const matched = matches.get(term)
      // For a pattern that most nodes match, the ids are those without a match: then every page is full
      // of its rows.
      return matched?.by === 'id' && !matched.complement
        ? { nodes: matched.ids, rows: listRows(matched.ids) }
        : null
    }
    default:
      return null
  }
}

const byName = (names: readonly string[]): Named => ({
  nodes: names,
  rows: sql`(select id as value from ${idsOf('nodes', (certname) => sql`${certname} in ${listRows(names)}`)})`,
})
