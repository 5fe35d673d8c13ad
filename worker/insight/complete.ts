/** What may come next in a query that is being written: what the grammar takes, and values that are known. */

import { formatTimestamp } from '../lib/time.ts'
import { FUNCTIONS } from '../plan/functions.ts'
import { nextInAst } from '../query/ast-place.ts'
import { nextInPql, type Next } from '../query/pql-parser.ts'
import { EMPTY_ENTITIES, ENTITIES, fieldOf, type Field } from '../schema/entities.ts'
import { KINDS, type Kind } from '../schema/kinds.ts'
import { relationOf } from '../schema/relations.ts'
import { knownValues } from '../store/insight/values.ts'
import type { Asked } from './asked.ts'
import type { Choice, ChoiceKind, Completion, CompletionOptions } from './shapes.ts'
import type { View } from './view.ts'

/** Of more values than these, others come as more of one is written. */
const MOST_VALUES = 50

/** What may stand at a place of a query in PQL or AST, at most one statement. */
export function askCompletion(
  view: View,
  { query, at: asked, entity }: CompletionOptions,
): Asked<Completion> {
  const at = Math.min(asked, query.length)
  const { from, quote, written } = begun(query.slice(0, at))
  const isAst = query.trimStart().startsWith('[')
  const before = query.slice(0, from)
  const next = isAst ? nextInAst(before, entity) : nextInPql(before)
  const to = quote !== null && query[at] === quote ? at + 1 : at
  const grammar = next === null || (quote !== null && !isAst) ? [] : choicesOf(next)
  const inText = grammar.filter(({ text }) => text.toLowerCase().startsWith(written.toLowerCase()))
  const spoken = isAst ? inText.map((one) => ({ ...one, text: JSON.stringify(one.text) })) : inText
  const field = next === null ? null : testedField(next)
  const usual = field === null ? [] : usualValues(field, view.now)
  const statement = field && knownValues(view, field, written, MOST_VALUES + 1)
  return {
    statements: statement ? [statement] : [],
    read: ([rows = []]) => {
      const known = rows.slice(0, MOST_VALUES).map(([value]) => value as string)
      const values = usual
        .filter(([value]) => value.startsWith(written))
        .concat(known.filter((one) => !usual.some(([value]) => value === one)).map((one) => [one]))
      return {
        from,
        to,
        choices: [
          ...values.map(([value, detail = null]): Choice => ({
            text: inQuotes(value, quote),
            kind: 'value',
            detail,
          })),
          ...spoken,
        ],
        more: rows.length > MOST_VALUES,
      }
    },
  }
}

const STRINGS = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/g

/** The word or the string that is being written at the end of a text: where it begins, and what it says so far. */
function begun(text: string): { from: number; quote: string | null; written: string } {
  const outside = text.replace(STRINGS, (string) => ' '.repeat(string.length))
  const open = outside.search(/["']/)
  if (open >= 0) {
    const quote = text[open]!
    return { from: open, quote, written: unquoted(text.slice(open + 1), quote) }
  }
  const [written] = /[\w?]*$/.exec(outside)!
  return { from: text.length - written.length, quote: null, written }
}

/** As the lexer takes it; an escape that is half written stays as it is. */
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

/** The field that a value may be compared with here; a regular expression is none of its values. */
function testedField({ entity, field, part, expected }: Next): Field | null {
  const takes = part === 'filter' && expected.includes('a string') && expected.length > 1
  const asked = takes ? ENTITIES.get(entity ?? '') : undefined
  return (asked && fieldOf(asked, field ?? '')) ?? null
}

const AGO = [
  [3_600_000, 'an hour ago'],
  [86_400_000, 'a day ago'],
  [7 * 86_400_000, 'a week ago'],
] as const

/** Values that are known without looking: what agents say, and times to count from. */
function usualValues({ storage, kind }: Field, now: number): (readonly [string, string?])[] {
  if (kind === 'timestamp') return AGO.map(([ago, name]) => [formatTimestamp(now - ago), name])
  if (storage.form === 'code') return storage.codes.map((code) => [code])
  const target = storage.form === 'reference' ? storage.target : null
  if (target === 'reportStatus') return [['changed'], ['failed'], ['unchanged']]
  if (target === 'eventStatus') return [['failure'], ['noop'], ['skipped'], ['success']]
  return []
}

/** Operators that not every kind of field takes. */
const OPERATORS: Readonly<Record<string, (kind: Kind) => boolean>> = {
  '<': ({ ordered }) => ordered,
  '>': ({ ordered }) => ordered,
  '<=': ({ ordered }) => ordered,
  '>=': ({ ordered }) => ordered,
  '~': ({ matched }) => matched,
  '!~': ({ matched }) => matched,
  in: ({ listed }) => listed,
}

/** Labels of whole kinds, brackets, and an operator that no field takes. */
const UNNAMED = /^(?:an?|the) |^[^\w<>=~!]|^!$|^~>$/

const choice =
  (kind: ChoiceKind) =>
  (text: string, detail: string | null = null): Choice => ({ text, kind, detail })

/** What the grammar takes, as far as it can be named. */
function choicesOf(next: Next): readonly Choice[] {
  const { expected, part } = next
  const entity = ENTITIES.get(next.entity ?? '')
  const field = entity && next.field !== null ? fieldOf(entity, next.field) : undefined
  const fits = (sign: string): boolean =>
    !field || !Object.hasOwn(OPERATORS, sign) || OPERATORS[sign]!(KINDS[field.kind])
  const truth = field?.kind === 'boolean' || field?.kind === 'truth'
  return expected.flatMap((label): readonly Choice[] => {
    if (label === 'a field') return entity ? fieldsOf(entity.name, part, expected) : []
    if (ENTITIES.has(label)) return [choice('entity')(label)]
    if (label === 'true' || label === 'false') return truth ? [choice('value')(label)] : []
    if (EMPTY_ENTITIES.has(label) || UNNAMED.test(label)) return []
    if (/^\w/.test(label) && label !== 'in' && !label.startsWith('is '))
      return [choice('keyword')(label)]
    return fits(label) ? [choice('operator')(label)] : []
  })
}

function fieldsOf(
  name: string,
  part: Next['part'],
  expected: readonly string[],
): readonly Choice[] {
  const fields = ENTITIES.get(name)!.fields.filter(({ queryable, projectable }) =>
    part === 'columns' ? projectable : queryable,
  )
  const related = [...ENTITIES.keys()].filter((other) => relationOf(name, other) !== null)
  return [
    ...fields.map((field) => choice('field')(field.name, field.kind)),
    ...(part === 'columns' && !expected.includes(')')
      ? Object.keys(FUNCTIONS).map((one) =>
          choice('function')(one === 'count' ? 'count()' : `${one}(`),
        )
      : []),
    ...(part === 'filter' ? related.map((other) => choice('entity')(other, 'of the same')) : []),
  ]
}
