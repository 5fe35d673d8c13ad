/** The log of a run: numbered lines from a level on, each with a permalink. */

import type { LogLine } from '../../insight/reports/report-body.ts'
import { each, html, type Html } from '../html.ts'
import { location } from './cause.ts'
import { clock } from './time.ts'

/** Levels of the agent, the least first; what `log` takes. */
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

/** So many are shown at once, as what stands below a log is to be found; all of them on demand. */
export const MOST_LINES = 500

/** Lines with their number in the report, which filters leave as it is. */
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

/** @param linked whether the lines are of this page, so that their numbers are places in it */
export const logLines = (lines: readonly NumberedLine[], linked = true): Html =>
  html`<div class="logs">
    ${each(lines, (line) => {
      const hue = LEVEL_CLASSES[line.level] ?? 'unchanged'
      const number = linked
        ? html`<a href="#L${line.index}">${line.index + 1}</a>`
        : html`<span>${line.index + 1}</span>`
      return html`<div
        class="log${hue === 'failed' ? ' err' : ''}"
        ${linked ? html` id="L${line.index}"` : ''}
      >
        ${number}<span class="${hue}">${line.level}</span>${clock(line.time)}<span
          ><span class="mono">${line.message}</span>
          <small
            >${line.source}${line.file === null ? '' : ` · ${location(line.file, line.line)}`}</small
          ></span
        >
      </div>`
    })}
  </div>`
