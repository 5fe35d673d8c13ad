/** Queries of dashboards and scripts, to compare the answers of two services row by row. */

import type { Json } from '../../worker/lib/json.ts'
import { isRecord, jsonText } from '../../worker/lib/lossless.ts'
import type { QueryService } from '../query-service.ts'

export type Row = Readonly<Record<string, Json>>

/** The compared span: runs that began in it. Times are in the API's format. */
export interface ComparedSpan {
  readonly from: string
  readonly until: string
}

export interface ComparedQuestion {
  readonly name: string
  readonly rows: (service: QueryService, span: ComparedSpan) => Promise<readonly Row[]>
  /** The columns that match a row of one side with a row of the other. */
  readonly key: readonly string[]
}

const COUNT: Json = ['function', 'count']
const DAY: Json = ['function', 'to_string', 'start_time', 'YYYY-MM-DD']
const EVENT_DAY: Json = ['function', 'to_string', 'run_start_time', 'YYYY-MM-DD']

const within = (field: string, { from, until }: ComparedSpan): Json => [
  'and',
  ['>=', field, from],
  ['<', field, until],
]

const queried =
  (endpoint: string, query: (span: ComparedSpan) => Json): ComparedQuestion['rows'] =>
  async (service, span) =>
    (await service.rows(endpoint, { query: query(span) })).filter(isRecord)

/** Queries for columns in which both sides should agree. */
export const QUESTIONS: readonly ComparedQuestion[] = [
  {
    name: 'latest report of each node',
    key: ['certname'],
    rows: queried('nodes', () => [
      'extract',
      ['certname', 'latest_report_status', 'latest_report_noop', 'report_environment'],
      ['null?', 'report_timestamp', false],
    ]),
  },
  {
    name: 'reports by day and status',
    key: ['to_string', 'status'],
    rows: queried('reports', (span) => [
      'extract',
      [COUNT, DAY, 'status'],
      within('start_time', span),
      ['group_by', DAY, 'status'],
    ]),
  },
  {
    name: 'reports by environment',
    key: ['environment'],
    rows: queried('reports', (span) => [
      'extract',
      [COUNT, 'environment'],
      within('start_time', span),
      ['group_by', 'environment'],
    ]),
  },
  {
    name: 'events by day and status',
    key: ['to_string', 'status'],
    rows: queried('events', (span) => [
      'extract',
      [COUNT, EVENT_DAY, 'status'],
      within('run_start_time', span),
      ['group_by', EVENT_DAY, 'status'],
    ]),
  },
  {
    name: 'failures by type of resource',
    key: ['resource_type'],
    rows: queried('events', (span) => [
      'extract',
      [COUNT, 'resource_type'],
      ['and', ['=', 'status', 'failure'], within('run_start_time', span)],
      ['group_by', 'resource_type'],
    ]),
  },
]

/** A PQL query that the user chose. The whole row is its key. */
export const ownQuestion = (pql: string): ComparedQuestion => ({
  name: pql,
  key: [],
  rows: async (service) => (await service.rows('', { query: pql })).filter(isRecord),
})

/** A row as text, which serves as its key. */
export const rowKey = (row: Row, key: readonly string[]): string =>
  key.length === 0
    ? jsonText(sorted(row))
    : key.map((name) => jsonText(row[name] ?? null)).join(' ')

/** The same row with its columns in sorted order. */
export const sorted = (row: Row): Row =>
  Object.fromEntries(
    Object.keys(row)
      .toSorted()
      .map((name) => [name, row[name]!]),
  )
