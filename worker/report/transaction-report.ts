/**
 * Converts a report in Puppet's own form (`Puppet::Transaction::Report#to_data_hash`), formats 4 to 12, to the payload of
 * `store report`, version 8, as PuppetDB's terminus does (puppet/reports/puppetdb.rb).
 */

import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { isList, isRecord } from '../lib/lossless.ts'
import { excerpt } from './fields.ts'
import { rubyText } from './ruby-text.ts'
import { Slowest, SLOWEST_KEY } from './slowest.ts'
import { parseTime } from './time.ts'

type Hash = { readonly [key: string]: Json }

/** Values that the sender of a report does not include in it. */
export interface Sender {
  /** The server that compiles for the node; null where it is unknown. */
  readonly producer: string | null
}

/**
 * Converts a report to a payload. Such a report has no producer timestamp; it gets the end of the run, so that a report
 * sent again stays the same report.
 *
 * @param report any value of JSON; `slowest` are resources that the parser skipped
 * @throws CommandError naming what is wrong, by the names of Puppet's own report
 */
export function payloadOf(report: Json, { producer }: Sender, slowest = new Slowest()): Hash {
  if (!isRecord(report)) throw new CommandError(`The report is ${excerpt(report)}, not a hash.`)
  const start = wireTime(report['time'])
  const end = endTime(report, start)
  const resources = resourcesOf(report, slowest)
  return {
    certname: named(report, 'host'),
    puppet_version: named(report, 'puppet_version'),
    report_format: named(report, 'report_format'),
    configuration_version: rubyText(report['configuration_version'] ?? null),
    start_time: start,
    end_time: end,
    producer_timestamp: end,
    environment: named(report, 'environment'),
    producer,
    transaction_uuid: orNull(report['transaction_uuid']),
    status: orNull(report['status']),
    noop: report['noop'] ?? wasNoop(resources),
    noop_pending: orNull(report['noop_pending']),
    corrective_change: orNull(report['corrective_change']),
    catalog_uuid: orNull(report['catalog_uuid']),
    code_id: orNull(report['code_id']),
    job_id: orNull(report['job_id']),
    cached_catalog_status: orNull(report['cached_catalog_status']),
    type: 'agent',
    logs: listOf(report['logs']).map(wireLog),
    metrics: wireMetrics(report['metrics']),
    resources,
    [SLOWEST_KEY]: slowest.rows(),
  }
}

/** The value of a mandatory field. */
function named(report: Hash, key: string): Json {
  const value = report[key]
  if (value === undefined || value === null) {
    throw new CommandError(`The report's ${key} is missing.`)
  }
  return value
}

const orNull = (value: Json | undefined): Json => value ?? null
const listOf = (value: Json | undefined): readonly Json[] =>
  value !== undefined && isList(value) ? value : []

/** The resources that the terminus sends: skipped ones, and those with events. */
function resourcesOf({ resource_statuses: statuses = null }: Hash, slowest: Slowest): Hash[] {
  if (!isRecord(statuses)) return []
  return Object.values(statuses)
    .filter(isRecord)
    .filter((status) => {
      slowest.add(status['evaluation_time'], () => [
        rubyText(orNull(status['resource_type'])),
        rubyText(orNull(status['title'])),
      ])
      return listOf(status['events']).length > 0 || status['skipped'] === true
    })
    .map(wireResource)
}

const wireResource = (status: Hash): Hash => ({
  skipped: orNull(status['skipped']),
  timestamp: wireTime(status['time']),
  resource_type: orNull(status['resource_type']),
  resource_title: rubyText(orNull(status['title'])),
  file: orNull(status['file']),
  line: orNull(status['line']),
  containment_path: orNull(status['containment_path']),
  corrective_change: orNull(status['corrective_change']),
  events: listOf(status['events']).map((event) => (isRecord(event) ? wireEvent(event) : event)),
})

const wireEvent = (event: Hash): Hash => ({
  status: orNull(event['status']),
  timestamp: wireTime(event['time']),
  name: orNull(event['name']),
  property: orNull(event['property']),
  new_value: rubyText(orNull(event['desired_value'])),
  old_value: rubyText(orNull(event['previous_value'])),
  corrective_change: orNull(event['corrective_change']),
  message: orNull(event['message']),
})

function wireLog(log: Json): Json {
  if (!isRecord(log)) return log
  return {
    file: orNull(log['file']),
    line: orNull(log['line']),
    level: orNull(log['level']),
    message: orNull(log['message']),
    source: orNull(log['source']),
    tags: tagsOf(log['tags']),
    time: wireTime(log['time']),
  }
}

/** Puppet 3 and 4 write tags as a Ruby set: a hash with a key for each tag, with or without a wrapping hash. */
function tagsOf(tags: Json | undefined): Json {
  if (!isRecord(tags)) return tags ?? []
  return Object.keys(isRecord(tags['hash']) ? tags['hash'] : tags)
}

/** Categories in the order sent, the metrics of each sorted by label, as in the terminus. */
function wireMetrics(metrics: Json | undefined): Json[] {
  if (!isRecord(metrics)) return []
  return Object.values(metrics)
    .filter(isRecord)
    .flatMap(({ name: category = null, values = null }) =>
      listOf(values)
        .filter(isList)
        .toSorted((one, other) => compared(String(one[1]), String(other[1])))
        .map(([name = null, , value = null]) => ({ category, name, value })),
    )
}

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** For reports without the key: the run was noop if something was pending and nothing was changed. */
function wasNoop(resources: readonly Hash[]): boolean {
  const statuses = resources.flatMap(({ events = null }) =>
    listOf(events).map((event) => (isRecord(event) ? event['status'] : null)),
  )
  return statuses.length > 0 && statuses.every((status) => status === 'noop')
}

/** Seconds, from the metric time.total; failed compilations have none. */
function duration({ metrics = null }: Hash): number {
  const time = isRecord(metrics) ? metrics['time'] : null
  if (!isRecord(time)) return 0
  const total = listOf(time['values']).find((value) => isList(value) && value[0] === 'total')
  const seconds = total !== undefined && isList(total) ? total[2] : 0
  return typeof seconds === 'number' ? seconds : 0
}

/** `2018-06-12 23:17:11.345516498 +02:00`, as Psych writes a Time. */
const PSYCH_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|UTC|[-+]\d\d:?\d\d)$/
const DECIMALS = /(\.\d{3})\d+/

/** The text of a time with its decimals cut to three, as in the terminus. Any other text is returned unchanged, for a later error. */
function wireTime(time: Json | undefined): Json {
  if (typeof time !== 'string') return orNull(time)
  const [, date, clock, zone] = PSYCH_TIME.exec(time) ?? []
  const standard = date === undefined ? time : `${date}T${clock}${zone === 'UTC' ? 'Z' : zone}`
  return standard.replace(DECIMALS, '$1')
}

/** Like the terminus, adds the total of the time metrics to the start before cutting the decimals. */
function endTime(report: Hash, start: Json): Json {
  const begun = typeof start === 'string' ? parseTime(start) : undefined
  if (begun === undefined) {
    throw new CommandError(`The report's time: ${excerpt(start)} is not a date-time with a zone.`)
  }
  const digits = /\.\d{3}(\d{1,6})/.exec(String(report['time']))?.[1] ?? ''
  const nanoseconds = Number(digits.padEnd(6, '0')) + duration(report) * 1e9
  const end = begun + Math.floor(nanoseconds / 1e6)
  if (!(Math.abs(end) <= 8.64e15))
    throw new CommandError("The report's time.total isn't a duration.")
  return new Date(end).toISOString()
}
