/** The dialects of the JSON syntax: what each of PuppetDB's query engines accepts. */

import { operatorOf } from './clause.ts'
import type { Clause } from './clause.ts'

export interface DialectRules {
  readonly ignoresCase: boolean
  /** Whether a query may be an `extract`. */
  readonly projects: boolean
  /** Operators of the standard dialect that this one refuses. */
  readonly unsupported: readonly string[]
  /** The entities that `select_…` accepts; null for all. */
  readonly selectable: readonly string[] | null
  /** Whether `=` with a null is false, so that `not` of it is true; in the other dialects it is unknown. */
  readonly nullIsUnequal: boolean
}

const LEGACY = {
  ignoresCase: true,
  projects: false,
  unsupported: ['~>', 'null?', 'subquery', 'array', 'from'],
  selectable: ['facts', 'resources'],
} as const

/**
 * The query engines of PuppetDB.
 *
 * `standard` accepts operators in lower case only. `counts` answers event-counts: any case, no
 * projection. `legacy` is an older engine that answers aggregate-event-counts: any case, few operators,
 * `in` only with a `select_facts` or `select_resources`. `distinct` is the same engine where a request
 * has `distinct_resources`: there `=` with a null is false.
 */
export const DIALECTS = {
  standard: {
    ignoresCase: false,
    projects: true,
    unsupported: [],
    selectable: null,
    nullIsUnequal: false,
  },
  counts: {
    ignoresCase: true,
    projects: false,
    unsupported: [],
    selectable: null,
    nullIsUnequal: false,
  },
  legacy: { ...LEGACY, nullIsUnequal: false },
  distinct: { ...LEGACY, nullIsUnequal: true },
} as const satisfies Readonly<Record<string, DialectRules>>

/** The query engine that an endpoint emulates. */
export type Dialect = keyof typeof DIALECTS

/** The operator of a clause as this dialect reads it. */
export function operatorIn(clause: Clause, rules: DialectRules): string | null {
  const name = operatorOf(clause)
  return rules.ignoresCase && name !== null ? name.toLowerCase() : name
}
