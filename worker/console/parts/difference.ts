/** The difference of a file as a table: what went and what came, each with its sign and its number. */

import { number } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { DifferenceLine, FileDifference } from '../file-difference.ts'

const SIGNS = { same: '', gone: '−', came: '+' } as const

export const difference = ({ hunks, left }: FileDifference): Html =>
  html`<table class="diff" aria-label="Difference of the file">
      <tbody>
        ${each(hunks, (lines) => html`${hunkHead(lines)}${each(lines, row)}`)}
      </tbody>
    </table>
    ${left === 0 ? NONE : html`<p class="muted">${number(left)} more lines are in the log.</p>`}`

function hunkHead(lines: readonly DifferenceLine[]): Html {
  const numbers = lines.flatMap(({ before, after }) => before ?? after ?? [])
  return html`<tr class="hunk">
    <td></td>
    <td></td>
    <td></td>
    <td>lines ${number(Math.min(...numbers))} to ${number(Math.max(...numbers))}</td>
  </tr>`
}

const row = ({ kind, before, after, pieces }: DifferenceLine): Html =>
  html`<tr class="${kind}">
    <td>${before ?? ''}</td>
    <td>${after ?? ''}</td>
    <td>${SIGNS[kind]}</td>
    <td>
      ${each(pieces, ([text, isChanged]) => (isChanged ? html`<b>${text}</b>` : html`${text}`))}
    </td>
  </tr>`
