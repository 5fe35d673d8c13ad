/** The log of a run: numbered lines of a level and above, each with a permalink. */

import type { LogLine } from '../../insight/reports/report-body.ts'
import type { ReportPage } from '../../insight/reports/report-page.ts'
import { changed } from '../address.ts'
import { counted, number, part } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { chosen } from '../states.ts'
import type { Visit } from '../visit.ts'
import { location } from './cause.ts'
import { card, field, filters, nothing, selectField, type Choice } from './list.ts'
import { clock } from './time.ts'

/** The agent's log levels, in ascending order; the values of `log`. */
export const LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'err',
  'alert',
  'emerg',
  'crit',
] as const
export const SHOWN_LEVELS = ['debug', 'info', 'notice', 'warning', 'err'] as const

/** The number of lines shown at first, so that the sections below the log can be found. */
export const MOST_LINES = 500

/** A line with its number in the whole report, whatever the filter. */
export type NumberedLine = LogLine & { readonly index: number }

export function chosenLines(
  logs: readonly LogLine[],
  level: string,
  text: string,
): readonly NumberedLine[] {
  const least = LEVELS.indexOf(level as (typeof LEVELS)[number])
  const wanted = text.toLowerCase()
  return logs
    .map((line, index) => ({ index, ...line }))
    .filter(
      (line) =>
        LEVELS.indexOf(line.level as (typeof LEVELS)[number]) >= least &&
        `${line.message} ${line.source}`.toLowerCase().includes(wanted),
    )
}

const LEVEL_CLASSES: Readonly<Record<string, string>> = {
  warning: 'corrective',
  err: 'failed',
  alert: 'failed',
  emerg: 'failed',
  crit: 'failed',
}

/** @param linked whether each number is an anchor on this page */
export const logLines = (lines: readonly NumberedLine[], linked = true): Html =>
  html`<div class="logs">
    ${each(lines, (line) => {
      const hue = LEVEL_CLASSES[line.level] ?? 'unchanged'
      const number = linked
        ? html`<a href="#L${line.index}">${line.index + 1}</a>`
        : html`<span>${line.index + 1}</span>`
      return html`<div
        class="log-line${hue === 'failed' ? ' err' : ''}"
        ${linked ? html` id="L${line.index}"` : ''}
      >
        ${number}<span class="${hue}">${line.level}</span>${clock(line.time)}<span
          ><span class="mono">${line.message.replace(/^\n/, '')}</span>
          <small
            >${line.source}${line.file === null ? '' : ` · ${location(line.file, line.line)}`}</small
          ></span
        >
      </div>`
    })}
  </div>`

const DEFAULT_LEVEL = 'notice'

export function reportLog(visit: Visit, { logs: all }: ReportPage): Html {
  if (all.length === 0) return card({ name: 'Log' }, nothing('The run logged nothing.'))
  const { searchParams } = visit.url
  const level = chosen(searchParams, 'log', SHOWN_LEVELS, DEFAULT_LEVEL)
  const lines = chosenLines(all, level, searchParams.get('q') ?? '')
  const shown = searchParams.get('lines') === 'all' ? lines : lines.slice(0, MOST_LINES)
  return card(
    {
      name: 'Log',
      id: 'log',
      note: html`${shown.length < lines.length ? html`first ${number(shown.length)} of <a href="${changed(visit.url, { lines: 'all' })}#log">${number(lines.length)} lines</a>` : part(lines.length, all.length, 'line')}`,
    },
    html`${filters(
      selectField(
        visit,
        'log',
        'From level',
        SHOWN_LEVELS.map((name): Choice => [name, name]),
        DEFAULT_LEVEL,
      ),
      field(visit, 'q', 'Find in the log', `Find in ${counted(all.length, 'line')}`),
    )}${lines.length === 0 ? nothing(html`No line matches. <a href="${changed(visit.url, { log: 'debug', q: null, lines: null })}#log">All lines</a>`) : logLines(shown)}`,
  )
}
