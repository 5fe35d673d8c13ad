/** Shows a report that the database has no more, from the history: the same page, by its node and time. */

import type { ReportHint } from '../../history/find-report.ts'
import { readReportRows, type ArchivedReportRows } from '../../history/read-report.ts'
import type { ArchivedRow } from '../../history/group-rows.ts'
import { logText, type LogColumns } from '../../history/log-rows.ts'
import { dayOfTime } from '../../history/bucket.ts'
import { NotFound } from '../../lib/errors.ts'
import { runErrorsOf } from '../../report/failure/log-lines.ts'
import { reasonOf } from '../../report/reason.ts'
import { EVENT_FAILURE } from '../../schema/states.ts'
import { filesOfReport } from '../../store/history-places.ts'
import type { ReportCause } from '../causes/report-causes.ts'
import type { PanelSource } from '../panel.ts'
import { bodyFrom, type ReportBody } from '../reports/report-body.ts'
import type { NeighbourReport, ReportPage } from '../reports/report-page.ts'
import { slowResourcesOf } from '../reports/report-slowest.ts'
import { archivedEventOf } from './archived-event.ts'
import { archivedRunOf, textOf, timeOf, type YearRun } from './year-run.ts'

/** @throws NotFound where the history doesn't have it, or the reader may not see it */
export async function archivedReportPage(
  { database, history }: PanelSource,
  hash: string,
  { certname, time }: ReportHint,
): Promise<ReportPage> {
  const [places] =
    history === null ? [[]] : await database.batch([filesOfReport(certname, dayOfTime(time))])
  const rows =
    history && places.length > 0
      ? await readReportRows(history.bucket, places, { hash, certname, time })
      : null
  const environment = rows && textOf(rows.report['environment'])
  if (rows === null || !history!.isVisible({ certname, environment }))
    throw new NotFound('report', hash)
  return pageOf(
    rows,
    rows.runs.map(archivedRunOf).flatMap(({ run, isOfAgent }) => {
      const isShown =
        isOfAgent && history!.isVisible({ certname, environment: run.environment || null })
      return isShown ? [run] : []
    }),
  )
}

/** @param runs of the node in the same file that the reader may see, in the order of time */
function pageOf(rows: ArchivedReportRows, runs: readonly YearRun[]): ReportPage {
  const { report } = rows
  const { certname, run } = archivedRunOf(report)
  const events = rows.events.map(archivedEventOf)
  const body = bodyOfRows(rows)
  const { factErrors } = runErrorsOf(body as unknown as Parameters<typeof runErrorsOf>[0])
  const count = (status: string): number => events.filter((one) => one.status === status).length
  const place = runs.findIndex(({ hash }) => hash === run.hash)
  const before = place < 0 ? [] : runs.slice(0, place)
  return {
    hash: run.hash,
    certname,
    environment: run.environment,
    status: textOf(report['status']),
    ...{ state: run.state, noop: run.noop, fact_errors: factErrors },
    derived: run.state === 'failed' && textOf(report['status']) !== 'failed',
    producer_timestamp: run.time,
    start_time: timeOf(report['start_time']),
    end_time: timeOf(report['end_time']),
    seconds: run.seconds,
    agent_version: run.agent_version,
    code_version: run.code_version,
    ...{ failures: count(EVENT_FAILURE), successes: count('success') },
    ...{ noops: count('noop'), skips: count('skipped') },
    receive_time: timeOf(report['receive_time']),
    configuration_version: String(report['configuration_version']),
    code_id: textOf(report['code_id']),
    producer: textOf(report['producer']),
    transaction_uuid: textOf(report['transaction_uuid']),
    catalog_uuid: textOf(report['catalog_uuid']),
    cached_catalog_status: textOf(report['cached_catalog_status']),
    job_id: textOf(report['job_id']),
    report_format: Number(report['report_format']),
    is_latest: false,
    previous: neighbourOfRun(before.at(-1)),
    next: neighbourOfRun(place < 0 ? undefined : runs[place + 1]),
    last_good: neighbourOfRun(before.findLast(({ state }) => state !== 'failed')),
    causes: causesOfRows(rows),
    report_events: events,
    slow_resources: slowResourcesOf(listIn(report['slowest'])),
    warnings: listIn(report['warnings']),
    ...body,
    archived: { files: rows.files, reads: rows.reads, unreadable: rows.unreadable },
  }
}

const listIn = <Item>(text: unknown): readonly Item[] =>
  typeof text === 'string' ? (JSON.parse(text) as Item[]) : []

function bodyOfRows({ logs, metrics }: ArchivedReportRows): ReportBody {
  const whole = metrics?.['entries']
  const map = (metrics?.['metrics'] ?? {}) as Readonly<Record<string, number>>
  return bodyFrom(
    logs.map((row): unknown => JSON.parse(logText(logColumnsOf(row)))),
    typeof whole === 'string'
      ? (JSON.parse(whole) as unknown[])
      : Object.entries(map).map(([key, value]) => {
          const dot = key.indexOf('.')
          return { category: key.slice(0, dot), name: key.slice(dot + 1), value }
        }),
  )
}

const logColumnsOf = (row: ArchivedRow): LogColumns => ({
  ...(row as unknown as LogColumns),
  tags: (row['tags'] ?? []) as readonly string[],
  line: row['line'] == null ? null : Number(row['line']),
})

/** Each cause with its first event, or with its line of the log. */
function causesOfRows({ report, events, logs }: ArchivedReportRows): ReportCause[] {
  return (report['causes'] as readonly string[]).map((cause): ReportCause => {
    const isOf = (row: ArchivedRow): boolean => row['cause'] === cause
    const event = events.find(isOf)
    const line = event === undefined ? logs.find(isOf) : undefined
    const row = event ?? line ?? {}
    const resource =
      event === undefined
        ? null
        : `${String(event['resource_type'])}[${String(event['resource_title'])}]`
    const sample = textOf(row['message'])
    const { label: reason } = reasonOf(sample, { certname: '', resource })
    return {
      ...{ cause, reason, derived: event === undefined, sample: sample ?? reason },
      event: event === undefined ? null : Number(event['number']),
      log: line === undefined ? null : Number(line['number']),
      resource,
      file: textOf(row['file']),
      line: row['line'] == null ? null : Number(row['line']),
    }
  })
}

/** Marks of neighbours need their events and logs, which are not read. */
const neighbourOfRun = (run: YearRun | undefined): NeighbourReport | null =>
  run === undefined
    ? null
    : {
        ...{ hash: run.hash, time: run.time, state: run.state, noop: run.noop },
        ...{ derived: false, fact_errors: false },
      }
