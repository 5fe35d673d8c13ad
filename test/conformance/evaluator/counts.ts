/** Event counts: events summed up by subject, and subjects summed up. */

import type { Filter, Paging } from '../../../worker/query/ast.ts'
import { distinctEvents, type Window } from './distinct.ts'
import { testOf } from './filter.ts'
import { certain, withoutAny } from './implicit.ts'
import { pageOf, type Answer } from './select.ts'
import type { Tables } from './tables.ts'
import { canonical, compareNullsLast, type Row } from './values.ts'

export const SUMMARIES = {
  certname: ['certname'],
  resource: ['resource_type', 'resource_title'],
  containing_class: ['containing_class'],
} as const
export type Summary = keyof typeof SUMMARIES

export const STATUSES = {
  failures: 'failure',
  skips: 'skipped',
  successes: 'success',
  noops: 'noop',
} as const
export type CountName = keyof typeof STATUSES
export const COUNT_NAMES = Object.keys(STATUSES) as CountName[]

export interface CountsAsked {
  readonly aggregate: boolean
  readonly summarizeBy: readonly Summary[]
  readonly countBy: 'resource' | 'certname'
  readonly countsFilter: readonly [operator: string, count: CountName, value: number] | null
  readonly filter: Filter | null
  readonly distinct: Window | null
  readonly paging: Paging
}

/** A subject's own columns and its four numbers. */
type Subject = Row

export function answerCounts(asked: CountsAsked, tables: Tables): Answer {
  const filter = withoutAny(asked.filter)
  const sure = asked.distinct && filter ? certain(filter) : filter
  const test = testOf('events', sure, tables, 'seen')
  const source = asked.distinct ? distinctEvents(asked.distinct, tables) : tables.events
  const events = source.filter((event) => test(event) === true)
  const summarized = (summary: Summary): Subject[] =>
    subjectsOf(summary, asked.countBy, events).filter((subject) => passes(subject, asked))
  if (asked.aggregate) {
    const rows = asked.summarizeBy.map((summary) => aggregated(summary, summarized(summary)))
    return { rows, total: rows.length }
  }
  const summary = asked.summarizeBy[0]!
  const rows = sorted(summarized(summary), asked.paging).map((subject) => shown(summary, subject))
  return { rows: pageOf(rows, asked.paging), total: rows.length }
}

function subjectsOf(summary: Summary, countBy: string, events: readonly Row[]): Subject[] {
  const columns = SUMMARIES[summary]
  const groups = new Map<string, Row[]>()
  for (const event of events) {
    const key = canonical(columns.map((column) => event[column]!))
    groups.set(key, [...(groups.get(key) ?? []), event])
  }
  return [...groups.values()].map((group) => ({
    ...Object.fromEntries(columns.map((column) => [column, group[0]![column]!])),
    ...Object.fromEntries(
      COUNT_NAMES.map((name) => [name, countOf(STATUSES[name], countBy, group)]),
    ),
  }))
}

/** Events with a status, or the nodes that have any. */
function countOf(status: string, countBy: string, group: readonly Row[]): number {
  const counted = group.filter((event) => event['status'] === status)
  return countBy === 'certname'
    ? new Set(counted.map(({ certname }) => certname)).size
    : counted.length
}

function passes(subject: Subject, { countsFilter }: CountsAsked): boolean {
  if (countsFilter === null) return true
  const [operator, count, value] = countsFilter
  const number = Number(subject[count])
  switch (operator) {
    case '=':
      return number === value
    case '<':
      return number < value
    case '<=':
      return number <= value
    case '>':
      return number > value
    default:
      return number >= value
  }
}

const shown = (summary: Summary, subject: Subject): Row => ({
  ...Object.fromEntries(COUNT_NAMES.map((name) => [name, subject[name]!])),
  subject_type: summary,
  subject:
    summary === 'resource'
      ? { type: subject['resource_type']!, title: subject['resource_title']! }
      : { title: subject[SUMMARIES[summary][0]]! },
})

const aggregated = (summary: Summary, subjects: readonly Subject[]): Row => ({
  summarize_by: summary,
  ...Object.fromEntries(
    COUNT_NAMES.map((name) => [name, subjects.filter((one) => Number(one[name]) > 0).length]),
  ),
  total: subjects.length,
})

const sorted = (subjects: readonly Subject[], { orderBy }: Paging): readonly Subject[] =>
  [...subjects].sort((one, other) => {
    for (const { field, direction } of orderBy ?? []) {
      const kind = (COUNT_NAMES as string[]).includes(field) ? 'number' : 'text'
      const order = compareNullsLast(kind, one[field]!, other[field]!)
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    return 0
  })
