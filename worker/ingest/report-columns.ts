/** The columns of a report's row: the SQL of each in the insert, and its parameter. */

import type { Report } from '../report/report.ts'
import { CLOCKS, clockFlags } from '../schema/clocks.ts'
import { EVENT_FAILURE } from '../schema/states.ts'
import { reportFields } from '../schema/report-fields.ts'
import { hexOfBytes, integerOf, unhexOf } from '../sql/encoding.ts'
import { LONGEST_BODY } from '../sql/limits.ts'
import type { Parameter } from '../sql/statement.ts'
import { namedResourceId } from './dictionary.ts'
import { KEY_MILLISECOND, storedBy, storedValue } from './stored-field.ts'

/** Values stored with a report that its sender does not provide. */
export interface ReportContext {
  /** When the request was accepted, in ms. */
  readonly receivedAt: number
  readonly metricNames: string | null
  readonly body: Uint8Array
  readonly state: number
}

interface ReportColumn {
  readonly name: string
  /** SQL in which `?` is the column's own parameter, `?3` the producer timestamp and `key.id` the report's key. */
  readonly sql: string
  readonly value: (report: Report, context: ReportContext) => Parameter
}

const column = (
  name: string,
  value: ReportColumn['value'],
  sql: (parameter: string) => string = (parameter) => parameter,
): ReportColumn => ({ name, sql: sql('?'), value })

const countOf = (status: string) => (report: Report) =>
  report.events.filter((event) => event.status === status).length

/** Numbers of events by status. */
export const EVENT_COUNTS = {
  failures: countOf(EVENT_FAILURE),
  successes: countOf('success'),
  noops: countOf('noop'),
  skips: countOf('skipped'),
} as const

export const REPORT_COLUMNS: readonly ReportColumn[] = [
  column(
    'node',
    ({ certname }) => certname,
    (parameter) => `(select id from nodes where certname = ${parameter})`,
  ),
  column('receive_time', (_, { receivedAt }) => receivedAt),
  ...reportFields.map(([property, field]) =>
    column(
      field.name,
      (report) => storedValue(field, report[property]),
      (parameter) => storedBy(field, parameter),
    ),
  ),
  column('events', ({ events }) => events.length),
  ...Object.entries(EVENT_COUNTS).map(([name, count]) => column(name, count)),
  column(
    'clock_flags',
    (report, { receivedAt }) => clockFlags({ ...report, receiveTime: receivedAt }),
    (parameter) =>
      `${integerOf(parameter)} | iif(${integerOf('?3')} <> ${KEY_MILLISECOND}, ${CLOCKS.producer_timestamp.bit}, 0)`,
  ),
  column('state', (_, { state }) => state),
  column(
    'metric_set',
    (_, { metricNames }) => metricNames,
    (parameter) => `(select id from metric_sets where names = ${parameter})`,
  ),
  column('body', (_, { body }) => pieceOf(body, 0), unhexOf),
  column('slowest', slowestParameter, slowestStored),
  column('warnings', ({ warnings }) => (warnings.length === 0 ? null : JSON.stringify(warnings))),
]

/** Rows of [type, title, ms]. */
function slowestParameter({ slowest }: Report): Parameter {
  if (slowest.length === 0) return null
  return JSON.stringify(
    slowest.map(({ resourceType, resourceTitle, seconds }) => [
      resourceType,
      resourceTitle,
      Math.round(seconds * 1000),
    ]),
  )
}

/** SQL for the parameter's rows as an object: ms by resource id. */
function slowestStored(parameter: string): string {
  const id = namedResourceId('slow.value ->> 0', 'slow.value ->> 1')
  return `nullif((select json_group_object(${id}, slow.value ->> 2) from json_each(${parameter}) slow), '{}')`
}

/** A piece of a body in hex: D1 would receive bytes as a JSON list of numbers, twice as long and far slower to read. */
export const pieceOf = (body: Uint8Array, index: number): string =>
  hexOfBytes(body.subarray(index * LONGEST_BODY, (index + 1) * LONGEST_BODY))
