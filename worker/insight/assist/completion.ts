/** What may come next in a query that is being written, in PQL unless said otherwise: what the grammar takes, and values that are known. */

import { formatTimestamp } from '../../lib/time.ts'
import { FUNCTIONS } from '../../plan/functions.ts'
import { nextInPql, type Next } from '../../query/pql-parser.ts'
import {
  EMPTY_ENTITIES,
  ENTITIES,
  fieldOf,
  type Entity,
  type Field,
} from '../../schema/entities.ts'
import { KINDS } from '../../schema/kinds.ts'
import { relationOf } from '../../schema/relations.ts'
import { knownValues } from './known-values.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { choice, OPERATORS, type Begun, type NextChoices } from './choices.ts'
import type { Choice, Completion, CompletionOptions } from '../shapes.ts'
import type { View } from '../view.ts'

/** Of more values than these, others come as more of one is written. */
const MOST_VALUES = 50

/** What may stand at a place of a query: what the grammar of its language takes, and at most one statement of values. */
export function askCompletion(
  view: View,
  { query, at: asked }: CompletionOptions,
  nextIn: (before: string, begun: Begun) => NextChoices = nextInText,
): BatchRead<Completion> {
  const at = Math.min(asked, query.length)
  const word = begun(query.slice(0, at))
  const { from, quote, written } = word
  const { choices: spoken, field } = nextIn(query.slice(0, from), word)
  const usual = field === null ? [] : usualValues(field, view.now)
  const statement = field && knownValues(view, field, written, MOST_VALUES + 1)
  return {
    statements: statement ? [statement] : [],
    read: ([rows = []]) => {
      const values = new Map(usual.filter(([value]) => value.startsWith(written)))
      for (const [value] of rows.slice(0, MOST_VALUES)) values.set(value as string, null)
      return {
        from,
        to: quote !== null && query[at] === quote ? at + 1 : at,
        choices: [
          ...[...values].map(([value, detail]): Choice => ({
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
function begun(text: string): Begun & { readonly from: number } {
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

function nextInText(before: string, { quote, written }: Begun): NextChoices {
  const next = nextInPql(before)
  const grammar = next === null || quote !== null ? [] : choicesOf(next)
  return {
    choices: grammar.filter(({ text }) => text.startsWith(written)),
    field: next && testedField(next),
  }
}

/** The field that a value may be compared with here; a regular expression is none of its values. */
function testedField({ entity, field, part, expected }: Next): Field | null {
  const takes = part === 'filter' && expected.includes('a string') && expected.length > 1
  const asked = takes ? ENTITIES.get(entity ?? '') : undefined
  return (asked && fieldOf(asked, field ?? '')) ?? null
}

const AGO = [
  [3_600_000, '1 h ago'],
  [86_400_000, '1 d ago'],
] as const

/** Values that are known without looking, with what they are: what agents say, and times to count from. */
function usualValues({ storage, kind }: Field, now: number): [string, string | null][] {
  if (kind === 'timestamp') return AGO.map(([ago, name]) => [formatTimestamp(now - ago), name])
  const target = storage.form === 'reference' ? storage.target : ''
  const said = storage.form === 'code' ? storage.codes : SAID[target]
  return (said ?? []).map((value) => [value, null])
}

/** Statuses of runs and of events. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  reportStatus: ['changed', 'failed', 'unchanged'],
  eventStatus: ['failure', 'noop', 'skipped', 'success'],
}

/** Labels of whole kinds, brackets, and an operator that no field takes. */
const UNNAMED = /^(?:an?|the) |^[^\w<>=~!]|^!$|^~>$/

/** What the grammar takes, as far as it can be named. */
function choicesOf({ expected, part, entity: asked, field: named }: Next): readonly Choice[] {
  const entity = ENTITIES.get(asked ?? '')
  const field = entity && fieldOf(entity, named ?? '')
  const truth = field?.kind === 'boolean' || field?.kind === 'truth'
  return expected.flatMap((label): readonly Choice[] => {
    if (label === 'a field') return entity ? fieldsOf(entity, part, expected) : []
    if (ENTITIES.has(label)) return [choice('entity', label)]
    if (label === 'true' || label === 'false') return truth ? [choice('value', label)] : []
    if (EMPTY_ENTITIES.has(label) || UNNAMED.test(label)) return []
    if (!/^\W|^in$|^is /.test(label)) return [choice('keyword', label)]
    const asks = OPERATORS[label]
    return field && asks && !KINDS[field.kind][asks] ? [] : [choice('operator', label)]
  })
}

function fieldsOf(
  { name, fields }: Entity,
  part: Next['part'],
  expected: readonly string[],
): readonly Choice[] {
  const fitting = part === 'columns' ? 'projectable' : 'queryable'
  const functions = part === 'columns' && !expected.includes(')') ? Object.keys(FUNCTIONS) : []
  const entities = part === 'filter' ? [...ENTITIES.keys()] : []
  return [
    ...fields
      .filter((field) => field[fitting])
      .map((field) => choice('field', field.name, field.kind)),
    ...functions.map((one) => choice('function', one === 'count' ? 'count()' : `${one}(`)),
    ...entities
      .filter((other) => relationOf(name, other) !== null)
      .map((other) => choice('entity', other, 'related')),
  ]
}
