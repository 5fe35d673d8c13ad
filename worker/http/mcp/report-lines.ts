/** Lines about one report: its head, its failed and changed resources, and the lines of its log that matter. */

import type { EventRow } from '../../insight/reports/event-row.ts'
import type { ReportPage } from '../../insight/reports/report-page.ts'
import { reportPageRead } from '../../insight/reports/report-page.ts'
import { readOne } from '../../store/batch-read.ts'
import { reportCauseLine } from './cause-lines.ts'
import { reportLink } from './links.ts'
import { asData, asExcerpt, asTime, asValue, amount, DATA_NOTE, orDash, section } from './text.ts'
import { viewFor, type ToolSource } from './tool.ts'

const MOST_EVENTS = 10
const MOST_LOG_LINES = 8

export const failureLines = ({ report_events: events }: ReportPage): string[] =>
  firstOf(
    events.filter(({ status }) => status === 'failure'),
    MOST_EVENTS,
    eventLine,
  )

export function eventLine(event: EventRow): string {
  const { file, line } = event
  const where = file === null ? '' : ` at ${asData(line === null ? file : `${file}:${line}`)}`
  const change =
    event.property === null
      ? ''
      : ` ${asData(event.property)}: ${asValue(event.old_value)} → ${asValue(event.new_value)}`
  const message = event.message === null ? '' : `; ${asExcerpt(event.message)}`
  return `${event.status} ${asData(`${event.resource_type}[${event.resource_title}]`)}${where}${change}${message}`
}

const LOUD = ['emerg', 'alert', 'crit', 'err', 'warning']

export const loudLines = ({ logs }: ReportPage): string[] =>
  firstOf(
    logs.filter(({ level }) => LOUD.includes(level)),
    MOST_LOG_LINES,
    ({ level, source, message }) => `${level} ${asExcerpt(source)}: ${asExcerpt(message)}`,
  )

/** The first of some items as lines, and how many are left. */
export function firstOf<Item>(
  items: readonly Item[],
  most: number,
  lineOf: (item: Item) => string,
): string[] {
  const rest = items.length - most
  return [...items.slice(0, most).map(lineOf), ...(rest > 0 ? [`${rest} more`] : [])]
}

/** @throws NotFound where no report of that hash is visible */
export async function reportLines(source: ToolSource, hash: string): Promise<string[]> {
  const report = await readOne(source.database, reportPageRead(await viewFor(source, {}), hash))
  const { report_events: events } = report
  return [
    DATA_NOTE,
    `Report ${hash} of ${asData(report.certname)} in ${asData(report.environment)}: ${report.state}${report.noop ? ' (noop)' : ''}; run ${asTime(report.start_time, source.now)}, took ${report.seconds} s; agent ${asData(report.agent_version)}, code ${orDash(report.code_version)}${report.is_latest ? '; the latest of its node' : ''}.`,
    `${amount(events.length, 'event')}: ${report.failures} failures, ${report.successes} successes, ${report.noops} noops, ${report.skips} skips.`,
    ...section(
      'Why it failed:',
      report.causes.map((cause) => reportCauseLine(source, cause)),
    ),
    ...section(
      'Events:',
      firstOf(
        events.filter(({ status }) => status !== 'skipped'),
        MOST_EVENTS,
        eventLine,
      ),
    ),
    ...section('Errors and warnings in its log:', loudLines(report)),
    ...section(
      'Before and after:',
      (['previous', 'next', 'last_good'] as const).flatMap((name) => {
        const other = report[name]
        return other === null
          ? []
          : [`${name}: ${other.state} ${asTime(other.time, source.now)} report ${other.hash}`]
      }),
    ),
    '',
    `Console: ${reportLink(source, hash)}`,
  ]
}
