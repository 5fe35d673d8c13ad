/** The nodes that a condition leaves, where it names them: their reports have an index. */

import { sql, type SQL } from 'drizzle-orm'
import type { Predicate } from '../plan/plan.ts'
import { idsOf, type Matches } from './predicate.ts'
import { listRows } from './render.ts'

export interface NamedNodes {
  /** One for each, whether it exists or not. */
  readonly nodes: readonly (string | number)[]
  /** Their ids, as rows with a column called `value`. */
  readonly rows: SQL
  /** What else must hold. */
  readonly others: readonly Predicate[]
}

/** The nodes that the first of the terms to do so names: equal to one, among a list, or found by a pattern. */
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
      const survivors = matches.get(term)
      // Of a pattern that most nodes match, the ids are those of the others: then any page is full of its rows.
      return survivors?.by === 'id' && !survivors.complement
        ? { nodes: survivors.ids, rows: listRows(survivors.ids) }
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
