/** The dialects of the JSON syntax: what each of PuppetDB's query engines knows of it. */

import { operatorOf } from './clause.ts'
import type { Clause } from './clause.ts'

export interface Rules {
  readonly anyCase: boolean
  /** Whether a query may be an `extract`. */
  readonly projects: boolean
  /** Operators of the standard dialect that this one doesn't know. */
  readonly lacks: readonly string[]
  /** The entities `select_…` takes; null is any. */
  readonly selects: readonly string[] | null
  /** Whether `=` is false of a null, so that `not` of it is true; to the others it is unknown. */
  readonly certain: boolean
}

const LEGACY = {
  anyCase: true,
  projects: false,
  lacks: ['~>', 'null?', 'subquery', 'array', 'from'],
  selects: ['facts', 'resources'],
} as const

/**
 * The query engines of PuppetDB.
 *
 * `standard` knows its operators in lower case only. `counts` is that of event-counts: any case, no
 * projection. `legacy` is an older engine, which answers aggregate-event-counts: any case, few
 * operators, `in` only with a `select_facts` or `select_resources`. `distinct` is the same engine
 * answering whatever has `distinct_resources`: there its `=` is sure of nulls.
 */
export const DIALECTS = {
  standard: { anyCase: false, projects: true, lacks: [], selects: null, certain: false },
  counts: { anyCase: true, projects: false, lacks: [], selects: null, certain: false },
  legacy: { ...LEGACY, certain: false },
  distinct: { ...LEGACY, certain: true },
} as const satisfies Readonly<Record<string, Rules>>

/** Which query engine is spoken to; endpoints differ in it. */
export type Dialect = keyof typeof DIALECTS

/** The operator of a clause as this dialect reads it. */
export function operatorIn(clause: Clause, rules: Rules): string | null {
  const name = operatorOf(clause)
  return rules.anyCase && name !== null ? name.toLowerCase() : name
}
