/** The preview of a hook: its message as a chat shows it, the JSON that is sent, and what it would have been about. */

import type { HookPreview } from '../../notify/hooks.ts'
import type { MessageContent } from '../../notify/message-content.ts'
import { HOOK_FORMATS, type HookFormatName } from '../../schema/hook-formats.ts'
import { reportAddress } from '../address.ts'
import { DAY } from '../../lib/time.ts'
import { counted } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import { nodeNames } from './node-name.ts'
import { table } from './table.ts'
import { when } from './time.ts'

/** @param preview null until somebody asks for it */
export function hookPreview(
  preview: HookPreview | null,
  format: HookFormatName,
  now: number,
): Html {
  if (preview === null)
    return html`<div>
      <h3>Preview</h3>
      <p class="help">
        The preview shows the message for the last 7 days and what it would have reported. It sends
        nothing.
      </p>
    </div>`
  const { since, total, items, content, message } = preview
  const nameOf = nodeNames(items)
  return html`<div>
      <h3>Preview</h3>
      <p class="help">
        ${
          total === 0
            ? `It would have sent nothing in this time. This is the test message in ${HOOK_FORMATS[format].name}.`
            : `One message about all events below, in ${HOOK_FORMATS[format].name}.`
        }
      </p>
    </div>
    ${shownMessage(content)}
    <details>
      <summary>JSON as sent</summary>
      <pre class="code">${JSON.stringify(message, null, 2)}</pre>
    </details>
    <div>
      <h3>${counted(total, 'event')} in the last ${Math.round((now - since) / DAY)} days</h3>
      ${
        items.length === 0
          ? html`<p class="help">This notification would have sent nothing.</p>`
          : table<HookPreview['items'][number]>(items, [
              [
                'Time',
                'name',
                ({ report, time }) =>
                  html`<a href="${reportAddress(report)}">${when(time, now)}</a>`,
              ],
              ['Node', 'labelled', ({ certname }) => nameOf(certname)],
              ['Reason', 'labelled', ({ reason }) => reason ?? ''],
            ])
      }
    </div>`
}

/** A message as chats show it. */
const shownMessage = ({ title, lines, link }: MessageContent): Html =>
  html`<blockquote class="msg">
    <p><b>${title}</b></p>
    ${each(lines, (line) => html`<p>${line}</p>`)}
    ${link === null ? NONE : html`<p><a href="${link.url}">${link.name}</a></p>`}
  </blockquote>`
