/** Choices of what may come next in a query, in whichever language. */

import type { Field } from '../../schema/entities.ts'
import type { Choice, ChoiceKind } from '../shapes.ts'

/** A word or string that is being written. */
export interface Begun {
  /** What it is opened by; null where it is a word. */
  readonly quote: string | null
  readonly written: string
}

/** What a grammar takes behind the beginning of a query, as far as it begins so, and the field whose values may stand there. */
export interface NextChoices {
  readonly choices: readonly Choice[]
  readonly field: Field | null
}

export const choice = (kind: ChoiceKind, text: string, detail: string | null = null): Choice => ({
  text,
  kind,
  detail,
})

/** Operators that not every kind of field takes, by what KINDS (schema/kinds.ts) says of each. */
export const OPERATORS: Readonly<Record<string, 'ordered' | 'matched' | 'listed'>> = {
  '<': 'ordered',
  '>': 'ordered',
  '<=': 'ordered',
  '>=': 'ordered',
  '~': 'matched',
  '!~': 'matched',
  in: 'listed',
}
