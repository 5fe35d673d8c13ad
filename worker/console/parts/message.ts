/** A message as Puppet logged it, with the line that says why marked. */

import { html, NONE, type Html } from '../html.ts'
import { card } from './list.ts'

/** @param reason the line, or a part of it; a message without it is shown as it is */
export function message(text: string, reason: string): Html {
  const lines = text.split('\n')
  const at = lines.length < 2 ? -1 : lines.findLastIndex((line) => line.includes(reason))
  if (at < 0) return html`<pre class="msg">${text}</pre>`
  const [before, after] = [lines.slice(0, at), lines.slice(at + 1)]
  return html`<pre class="msg">
${before.map((line) => `${line}\n`).join('')}<mark>${lines[at]}</mark>${after.map((line) => `\n${line}`).join('')}</pre>`
}

/** A card with the message of one failure; empty where none is stored. */
export const sampleMessage = (sample: string | null, reason: string): Html =>
  sample === null
    ? NONE
    : card(
        { name: 'What Puppet said', note: 'a sample message' },
        html`<div class="in">${message(sample, reason)}</div>`,
      )
