/** The values of `state` in an address: which nodes or runs each selects, and how it is labelled. */

import type { NodeCounts } from '../insight/fleet.ts'
import type { RunCounts } from '../insight/timeline.ts'
import { readValue, asRequiredChoice } from '../schema/readers.ts'
import type { StateFilter, StateName } from '../schema/states.ts'
import { filled } from './address.ts'

export interface StateChoice {
  /** A choice holds only what it narrows. */
  readonly states?: readonly StateName[]
  readonly noop?: boolean
  readonly silent?: boolean
  /** Only runs with that mark. */
  readonly fact_errors?: true
  /** The label in tiles and filters. */
  readonly name: string
  readonly glyph: string
  /** The CSS class of its colour. */
  readonly hue: string
  /** The condition in PQL, for nodes and for reports, where PQL can express it. */
  readonly pql?: string
}

export const STATE_CHOICES = {
  failed: {
    states: ['failed'],
    name: 'failed',
    glyph: 'cross',
    hue: 'failed',
    pql: 'status = "failed"',
  },
  corrective: {
    states: ['corrective'],
    noop: false,
    name: 'drift corrected',
    glyph: 'diamond',
    hue: 'corrective',
    pql: 'status = "changed" and corrective_change = true',
  },
  changed: {
    states: ['changed'],
    noop: false,
    name: 'changed',
    glyph: 'disc',
    hue: 'changed',
    pql: 'status = "changed" and ! (corrective_change = true)',
  },
  would: {
    states: ['corrective', 'changed'],
    noop: true,
    name: 'pending (noop)',
    glyph: 'disc',
    hue: 'noop',
    pql: 'noop_pending = true',
  },
  unchanged: {
    states: ['unchanged'],
    // A silent node is not known to be unchanged.
    silent: false,
    name: 'unchanged',
    glyph: 'dash',
    hue: 'unchanged',
    pql: 'status = "unchanged" and ! (noop_pending = true)',
  },
  eventful: {
    states: ['failed', 'corrective', 'changed'],
    name: 'eventful',
    glyph: 'disc',
    hue: 'changed',
    pql: '(status = "failed" or status = "changed" or noop_pending = true)',
  },
  'fact-errors': {
    fact_errors: true,
    name: 'with fact errors',
    glyph: 'alert',
    hue: 'unchanged',
  },
  silent: {
    silent: true,
    name: 'silent',
    glyph: 'clock',
    hue: 'silent',
  },
} as const satisfies Readonly<Record<string, StateChoice>>
export type StateChoiceName = keyof typeof STATE_CHOICES

export const STATE_CHOICE_NAMES = Object.keys(STATE_CHOICES) as readonly StateChoiceName[]

const ALL: StateChoice = {
  name: 'all',
  glyph: 'dash',
  hue: 'unchanged',
}

/** The number of nodes that the choice selects. */
export function nodesIn(fleet: NodeCounts, choice: StateChoice): number {
  if (choice.silent === true) return fleet.silent
  if (choice.fact_errors === true) return fleet.fact_errors
  return fleet.states.reduce(
    (sum, { state, noop, count, silent }) =>
      choice.states?.includes(state) === true && (choice.noop ?? noop) === noop
        ? sum + count - (choice.silent === false ? silent : 0)
        : sum,
    0,
  )
}

/** The number of runs that the choice selects. Runs are counted by state and noop only. */
export const runsIn = ({ states }: RunCounts, choice: StateChoice): number =>
  states.reduce(
    (sum, { state, noop, count }) =>
      choice.states?.includes(state) !== false && (choice.noop ?? noop) === noop
        ? sum + count
        : sum,
    0,
  )

/** The filter of a list by the choice. */
export const stateFilter = ({ states, noop, fact_errors }: StateChoice): StateFilter => ({
  states: states ?? null,
  noop: noop ?? null,
  fact_errors: fact_errors ?? null,
})

/** @throws QueryError for an unknown state */
export function stateChoice(parameters: URLSearchParams): StateChoice {
  const name = filled(parameters, 'state')
  if (name === null) return ALL
  return STATE_CHOICES[oneOf(name, STATE_CHOICE_NAMES, 'state')]
}

/** One of the words that a parameter takes. @throws QueryError that suggests the nearest word */
export const oneOf = <Word extends string>(
  value: string | null,
  words: readonly Word[],
  name: string,
): Word => readValue(name, asRequiredChoice('', words), value ?? '')

/** The same with a default. */
export const chosen = <Word extends string>(
  parameters: URLSearchParams,
  name: string,
  words: readonly Word[],
  initially: Word,
): Word => oneOf(parameters.get(name) || initially, words, name)
