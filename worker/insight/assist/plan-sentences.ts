/** Describes plans in sentences, for explanations of queries. */

import { unreachable } from '../../lib/invariant.ts'
import { formatTimestamp } from '../../lib/time.ts'
import type { PlanColumn, Predicate, SelectPlan } from '../../plan/plan.ts'
import type { Field } from '../../schema/entity.ts'
import type { Scalar } from '../../schema/kinds.ts'

/** Describes columns, rows, conditions and order of the answer. The conditions include those that PuppetDB adds to a query. */
export function planSentences({
  entity,
  columns,
  where,
  groups,
  order,
  limit,
  offset,
}: SelectPlan): string[] {
  const what = groups
    ? `Groups of ${entity.name}${groups.length > 0 ? ` by ${names(groups)}` : ', all of them one'}`
    : `Rows of ${entity.name}`
  const sorted = order.map(
    ({ field, direction }) => `${field.name}${direction === 'desc' ? ' descending' : ''}`,
  )
  return [
    `${what}: ${names(columns)}.`,
    ...(where.kind === 'always' && where.value ? [] : [`Only where ${conditionOf(where)}.`]),
    ...(sorted.length > 0 ? [`In the order of ${sorted.join(', ')}.`] : []),
    ...(limit === null ? [] : [`At most ${limit}.`]),
    ...(offset === 0 ? [] : [`From number ${offset + 1} on.`]),
  ]
}

const names = (columns: readonly PlanColumn[]): string =>
  columns
    .map(({ kind, name, field }) => (kind === 'field' ? name : `${name}(${field?.name ?? ''})`))
    .join(', ')

/** Converts a stored value to its form in queries. */
function valueOf({ kind }: Field, value: Scalar): string {
  if (kind === 'timestamp') return formatTimestamp(Number(value))
  if (kind === 'boolean') return String(value === 1)
  return JSON.stringify(value)
}

function conditionOf(where: Predicate): string {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.terms
        .map((term) => ('terms' in term ? `(${conditionOf(term)})` : conditionOf(term)))
        .join(` ${where.kind} `)
    case 'not':
      return `not (${conditionOf(where.term)})`
    case 'always':
      return where.value ? 'anything holds' : 'nothing holds'
    case 'within':
      return `${where.fields.map(({ name }) => name).join(', ')} is among (${planSentences(where.select).join(' ')})`
    default:
      return `${where.field.name} ${testOf(where)}`
  }
}

type Test = Extract<Predicate, { readonly field: Field }>

function testOf(where: Test): string {
  switch (where.kind) {
    case 'equals':
      return `is ${valueOf(where.field, where.value)}`
    case 'ordered':
      return `${where.operator} ${valueOf(where.field, where.value)}`
    case 'matches':
      return `matches ${JSON.stringify(where.text)}`
    case 'among':
      return `is one of ${where.values.length} values`
    case 'null':
      return `is ${where.value ? '' : 'not '}null`
    case 'latest':
      return `is ${where.value}`
    case 'state':
      return `is of ${where.active ? '' : 'in'}active nodes`
    default:
      return unreachable(where)
  }
}

/** Patterns of lines in SQLite's plan, each with its sentence. */
const STEPS: readonly (readonly [line: RegExp, words: string])[] = [
  [/^SCAN (\S+).* INDEX (\S+)$/, 'Walks through $1 by its index $2.'],
  [/^SCAN (\S+).*/, 'Walks through $1.'],
  [/^SEARCH (\S+).* KEY \((.*)\)$/, 'Looks $1 up by key: $2.'],
  [/^SEARCH (\S+).* INDEX (\S+) \((.*)\)$/, 'Looks $1 up by its index $2: $3.'],
  [/^USE TEMP B-TREE FOR (.*)$/, 'Sorts for $1.'],
]

/** Describes the lines of SQLite's plan that read rows, in sentences. */
export const stepSentences = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => {
    const step = STEPS.find(([pattern]) => pattern.test(line))
    return step ? [line.replace(...step)] : []
  })
