/** Lines about causes, for the tools that list them. */

import type { CauseSummary } from '../../insight/causes/cause-list.ts'
import type { ReportCause } from '../../insight/causes/report-causes.ts'
import { causeLink } from './links.ts'
import { asData, asExcerpt, asTime, amount } from './text.ts'
import type { ToolSource } from './tool.ts'

export function causeLine(source: ToolSource, cause: CauseSummary): string {
  const { cause: id, reason, sample, nodes, reports, new: isNew } = cause
  return [
    `${amount(nodes, 'node')}, ${amount(reports, 'run')}${isNew ? ', new in the span' : ''}: ${asExcerpt(sample ?? reason)}`,
    placeText(cause, cause.more_resources),
    `first seen ${asTime(cause.first_seen, source.now)}, last ${asTime(cause.last_seen, source.now)}`,
    ...acknowledgedText(source, cause),
    ...(id === null ? [] : [`cause ${id} ${causeLink(source, id)}`]),
  ].join('; ')
}

/** Who works on the cause and until when, or why it is back; nothing without an acknowledgement. */
export function acknowledgedText(
  { now }: Pick<ToolSource, 'now'>,
  { acknowledged }: Pick<CauseSummary, 'acknowledged'>,
): readonly string[] {
  if (acknowledged === null) return []
  const { note, by, at, until, nodes, holds, ended } = acknowledged
  const quoted = `by ${asData(by)} at ${asTime(at, now)}: ${asExcerpt(note)}`
  if (holds) return [`acknowledged until ${asTime(until, now)} ${quoted}`]
  return ended === 'time'
    ? [`back since the acknowledgement ended ${asTime(until, now)}; it was ${quoted}`]
    : [
        `back since it grew beyond ${nodes === null ? 'what was' : `the ${amount(nodes, 'node')}`} acknowledged ${quoted}`,
      ]
}

export const reportCauseLine = (source: ToolSource, cause: ReportCause): string =>
  [
    asExcerpt(cause.sample),
    placeText(cause),
    ...(cause.derived ? ['from the log'] : []),
    `cause ${cause.cause} ${causeLink(source, cause.cause)}`,
  ].join('; ')

type Place = Pick<ReportCause, 'resource' | 'file' | 'line'>

export function placeText({ resource, file, line }: Place, more = 0): string {
  const where = file === null ? '' : ` at ${asData(line === null ? file : `${file}:${line}`)}`
  const others = more > 0 ? ` and ${amount(more, 'other resource')}` : ''
  return `${resource === null ? 'no resource' : asData(resource)}${others}${where}`
}
