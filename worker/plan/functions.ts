/** The functions of a projection: their numbers of arguments, and the kinds of fields that they accept. */

import type { KindName } from '../schema/kinds.ts'

export interface FunctionRule {
  /** Least and most numbers of arguments. */
  readonly arity: readonly [number, number]
  /** The kinds of fields that it accepts. */
  readonly takes: readonly KindName[]
}

const NUMBERS: readonly KindName[] = ['number']
const SORTABLE: readonly KindName[] = ['number', 'timestamp', 'string']
const ANY: readonly KindName[] = [...SORTABLE, 'boolean', 'path', 'value']

export const FUNCTIONS = {
  count: { arity: [0, 1], takes: ANY },
  avg: { arity: [1, 1], takes: NUMBERS },
  sum: { arity: [1, 1], takes: NUMBERS },
  min: { arity: [1, 1], takes: SORTABLE },
  max: { arity: [1, 1], takes: SORTABLE },
  to_string: { arity: [2, 2], takes: ['timestamp', 'number'] },
} as const satisfies Readonly<Record<string, FunctionRule>>

export type FunctionName = keyof typeof FUNCTIONS
