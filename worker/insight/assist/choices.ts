/** The choices that may come next in an unfinished query. */

import { COMPARISONS, OPERANDS } from '../../query/ast.ts'
import type { Field } from '../../schema/entity.ts'
import type { ChoiceKind, CompletionChoice } from './editor-answers.ts'

/** The word or string at the end of an unfinished query. */
export interface Begun {
  /** The quotation mark that opened it; null for a word. */
  readonly quote: string | null
  readonly written: string
}

/** What a grammar accepts after the beginning of a query, and the field whose values may come next. */
export interface NextChoices {
  readonly choices: readonly CompletionChoice[]
  readonly field: Field | null
}

export const completionChoice = (
  kind: ChoiceKind,
  text: string,
  detail: string | null = null,
): CompletionChoice => ({
  text,
  kind,
  detail,
})

/** What a field's kind needs for a comparison with that. */
const NEEDED = { rank: 'ordered', pattern: 'matched' } as const

/** Operators that only some kinds of fields support, with the property of KINDS (schema/kinds.ts) that tells which. */
export const OPERATORS: Readonly<Record<string, 'ordered' | 'matched' | 'listed'>> = {
  ...Object.fromEntries(
    COMPARISONS.flatMap((name) => {
      const takes = OPERANDS[name]
      return takes === 'rank' || takes === 'pattern' ? [[name, NEEDED[takes]]] : []
    }),
  ),
  '!~': 'matched',
  in: 'listed',
}
