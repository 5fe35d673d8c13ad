/** A command → the report as the history takes it, without a database in between. */

import type { WholeReport } from '../../worker/history/read-reports.ts'
import type { Json } from '../../worker/lib/json.ts'
import { jsonText } from '../../worker/lib/lossless.ts'
import { mapMetrics, packMetrics } from '../../worker/report/body-metrics.ts'
import { causesByEvent, causesOf, failedRunOf } from '../../worker/report/causes.ts'
import { decodeReport } from '../../worker/report/decode.ts'
import { runErrorsOf } from '../../worker/report/failure/log-lines.ts'
import type { Report } from '../../worker/report/report.ts'
import { eventFields } from '../../worker/schema/event-fields.ts'
import { reportFields } from '../../worker/schema/report-fields.ts'
import { EVENT_FAILURE, stateOf } from '../../worker/schema/states.ts'
import type { StoreReportCommand } from '../../tools/fleet/run.ts'

export function wholeReport({ payload, version }: StoreReportCommand): WholeReport {
  const received = Date.parse(payload.producer_timestamp) + 100
  const { report } = decodeReport(payload as unknown as Json, version, received)
  const { state } = stateOf({
    ...report,
    failures: report.events.filter(({ status }) => status === EVENT_FAILURE).length,
    successes: report.events.filter(({ status }) => status === 'success').length,
    ...runErrorsOf(report),
  })
  const packed = report.metrics === null ? null : packMetrics(report.metrics)
  return {
    values: {
      ...Object.fromEntries(reportFields.map(([property, { name }]) => [name, report[property]])),
      hash: report.hash,
      certname: report.certname,
      receive_time: received,
      event_count: report.events.length,
      slowest: null,
      warnings: null,
      state,
    },
    causes: causesIn(report, state === 'failed'),
    events: report.events.map((event, number) => ({
      number,
      ...Object.fromEntries(eventFields.map(([property, { name }]) => [name, event[property]])),
      old_value: event.oldValue,
      new_value: event.newValue,
      message: event.message,
      resource_type: event.resourceType,
      resource_title: event.resourceTitle,
      containing_class: event.containingClass,
      containment_path: event.containmentPath === null ? '' : JSON.stringify(event.containmentPath),
    })),
    logs: report.logs === null ? 'null' : jsonText(report.logs),
    metrics: packed && mapMetrics(packed.names, packed.values),
  }
}

function causesIn(report: Report, isFailed: boolean): WholeReport['causes'] {
  const run = failedRunOf(report)
  const causes = isFailed ? causesOf(run) : []
  return {
    names: causes.map(({ name }) => name),
    ofEvent: isFailed ? causesByEvent(run) : new Map(),
    ofLog: new Map(causes.flatMap(({ name, log }) => (log === null ? [] : [[log, name]]))),
  }
}
