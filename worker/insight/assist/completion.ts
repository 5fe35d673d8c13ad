/** Completes an unfinished query with what the grammar accepts at the cursor, and with stored values. */

import { DAY, formatTimestamp, HOUR } from '../../lib/time.ts'
import { FUNCTIONS } from '../../plan/functions.ts'
import { nextInPql, type Next } from '../../query/pql-parser.ts'
import { EMPTY_ENTITIES, ENTITIES } from '../../schema/entities.ts'
import { fieldOf, type Entity, type Field } from '../../schema/entity.ts'
import { KINDS } from '../../schema/kinds.ts'
import { relationOf } from '../../schema/relations.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import type { Completion, CompletionChoice, ChoiceKind } from './editor-answers.ts'
import { knownValues } from './known-values.ts'
import type { View } from '../view.ts'
import { asCount, asRequiredText } from '../../schema/readers.ts'
import { definePanel } from '../panel.ts'
import { COMPARISONS, OPERANDS } from '../../query/ast.ts'

/** The word or string at the end of an unfinished query. */
interface Begun {
  /** The quotation mark that opened it; null for a word. */
  readonly quote: string | null
  readonly written: string
}

/** What a grammar accepts after the beginning of a query, and the field whose values may come next. */
interface NextChoices {
  readonly choices: readonly CompletionChoice[]
  readonly field: Field | null
}

const completionChoice = (
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
const OPERATORS: Readonly<Record<string, 'ordered' | 'matched' | 'listed'>> = {
  ...Object.fromEntries(
    COMPARISONS.flatMap((name) => {
      const takes = OPERANDS[name]
      return takes === 'rank' || takes === 'pattern' ? [[name, NEEDED[takes]]] : []
    }),
  ),
  '!~': 'matched',
  in: 'listed',
}

/** Most values suggested; writing more of a value finds others. */
const MOST_VALUES = 50

export interface CompletionOptions {
  /** The unfinished text. */
  readonly query: string
  /** The position of the cursor in it, in UTF-16 units. */
  readonly at: number
}

/** Takes at most one statement. */
export function completionRead(
  view: View,
  { query, at: cursor }: CompletionOptions,
): BatchRead<Completion> {
  const at = Math.min(cursor, query.length)
  const word = begun(query.slice(0, at))
  const { from, quote, written } = word
  const { choices, field } = nextInText(query.slice(0, from), word)
  const presets = field === null ? [] : presetValues(field, view.now)
  const statement = field && knownValues(view, field, written, MOST_VALUES + 1)
  return batchRead(statement ? [statement] : [], ([known = []]) => {
    const values = new Map(presets.filter(([value]) => value.startsWith(written)))
    for (const { value } of known.slice(0, MOST_VALUES)) values.set(value, null)
    const ofValues = [...values].map(([value, detail]) =>
      completionChoice('value', inQuotes(value, quote), detail),
    )
    return {
      from,
      to: quote !== null && query[at] === quote ? at + 1 : at,
      choices: [...ofValues, ...choices],
      more: known.length > MOST_VALUES,
    }
  })
}

/** A string, with its closing quote; at the end of the text also without. Each begins where the one before ended: others are never tried again. */
const STRINGS = /"(?:[^"\\]|\\[^]?)*("|$)|'(?:[^'\\]|\\[^]?)*('|$)/g
const OF_WORDS = /[\w?]/

/** The word or string at the end of a text: where it begins, and its text so far. */
function begun(text: string): Begun & { readonly from: number } {
  for (const { index, 1: double, 2: single } of text.matchAll(STRINGS)) {
    if (double !== '' && single !== '') continue
    const quote = text[index]!
    return { from: index, quote, written: unquoted(text.slice(index + 1), quote) }
  }
  let from = text.length
  while (from > 0 && OF_WORDS.test(text[from - 1]!)) from--
  return { from, quote: null, written: text.slice(from) }
}

/** Unquotes as the lexer does; a half-written escape stays unchanged. */
function unquoted(text: string, quote: string): string {
  if (quote === "'") return text.replaceAll("\\'", "'")
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}

const inQuotes = (value: string, quote: string | null): string =>
  quote === "'" ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)

function nextInText(before: string, { quote, written }: Begun): NextChoices {
  const next = nextInPql(before)
  const grammar = next === null || quote !== null ? [] : choicesOf(next)
  return {
    choices: grammar.filter(({ text }) => text.startsWith(written)),
    field: next && testedField(next),
  }
}

/** The field whose values may come next; a regular expression is no value. */
function testedField({ entity, field, part, expected }: Next): Field | null {
  const isValue = part === 'filter' && expected.includes('a string') && expected.length > 1
  const named = isValue ? ENTITIES.get(entity ?? '') : undefined
  return (named && fieldOf(named, field ?? '')) ?? null
}

const AGO = [
  [HOUR, '1 h ago'],
  [DAY, '1 d ago'],
] as const

/** Values known without reading, with their detail: statuses, and times to count from. */
function presetValues({ storage, kind }: Field, now: number): [string, string | null][] {
  if (kind === 'timestamp') return AGO.map(([ago, name]) => [formatTimestamp(now - ago), name])
  const target = storage.form === 'reference' ? storage.target : ''
  const statuses = storage.form === 'code' ? storage.codes : STATUSES[target]
  return (statuses ?? []).map((value) => [value, null])
}

/** Statuses of runs and of events. */
const STATUSES: Readonly<Record<string, readonly string[]>> = {
  reportStatus: ['changed', 'failed', 'unchanged'],
  eventStatus: ['failure', 'noop', 'skipped', 'success'],
}

/** Expectations without a choice: labels of token kinds, brackets, and operators that no field supports. */
const UNNAMED = /^(?:an?|the) |^[^\w<>=~!]|^!$|^~>$/

/** The choices for what the grammar accepts, where it can be named. */
function choicesOf({
  expected,
  part,
  entity: entityName,
  field: fieldName,
}: Next): readonly CompletionChoice[] {
  const entity = ENTITIES.get(entityName ?? '')
  const field = entity && fieldOf(entity, fieldName ?? '')
  const truth = field?.kind === 'boolean' || field?.kind === 'truth'
  return expected.flatMap((label): readonly CompletionChoice[] => {
    if (label === 'a field') return entity ? fieldsOf(entity, part, expected) : []
    if (ENTITIES.has(label)) return [completionChoice('entity', label)]
    if (label === 'true' || label === 'false')
      return truth ? [completionChoice('value', label)] : []
    if (EMPTY_ENTITIES.has(label) || UNNAMED.test(label)) return []
    if (!/^\W|^in$|^is /.test(label)) return [completionChoice('keyword', label)]
    const asks = OPERATORS[label]
    return field && asks && !KINDS[field.kind][asks] ? [] : [completionChoice('operator', label)]
  })
}

function fieldsOf(
  { name, fields }: Entity,
  part: Next['part'],
  expected: readonly string[],
): readonly CompletionChoice[] {
  const fitting = part === 'columns' ? 'projectable' : 'queryable'
  const functions = part === 'columns' && !expected.includes(')') ? Object.keys(FUNCTIONS) : []
  const entities = part === 'filter' ? [...ENTITIES.keys()] : []
  return [
    ...fields
      .filter((field) => field[fitting])
      .map((field) => completionChoice('field', field.name, field.kind)),
    ...functions.map((one) =>
      completionChoice('function', one === 'count' ? 'count()' : `${one}(`),
    ),
    ...entities
      .filter((other) => relationOf(name, other) !== null)
      .map((other) => completionChoice('entity', other, 'related')),
  ]
}

export const COMPLETION_PANEL = definePanel({
  path: '/complete',
  summary: 'What may come next in an unfinished query.',
  takes: {
    q: asRequiredText('The unfinished query.'),
    at: asCount(
      'The position of the cursor in the query, in UTF-16 units. By default its end.',
      Infinity,
      {
        most: 999_999_999,
      },
    ),
  },
  read: (view, { q, at }) => completionRead(view, { query: q, at }),
})
