/** The hooks that exist, and the log of their messages. */

import { shownTarget } from '../../notify/hooks.ts'
import { outcomeInWords, resultOf } from '../../notify/outcome.ts'
import { HOOK_FORMATS } from '../../schema/hook-formats.ts'
import { TRANSITIONS } from '../../schema/transitions.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { MOST_DELIVERIES, type Delivery } from '../../store/deliveries.ts'
import type { Hook } from '../../store/hooks.ts'
import { address, causeAddress } from '../address.ts'
import { html, NONE, type Html } from '../html.ts'
import { age } from '../format.ts'
import { card, nothing } from './list.ts'
import { menu } from './menu.ts'
import { table } from './table.ts'
import { when } from './time.ts'

const hooksPath = '/console/settings/hooks'

const time = (milliseconds: number, now: number): Html => when(formatTimestamp(milliseconds), now)

/** A button that sends a POST request. */
const postButton = (to: string, name: string, look = 'plain'): Html =>
  html`<form method="post" action="${to}"><button class="${look}">${name}</button></form>`

export const hookCard = (
  hooks: readonly Hook[],
  deliveries: readonly Delivery[],
  now: number,
): Html =>
  card(
    {
      name: 'Active',
      id: 'active',
      actions: html`<a class="btn" href="/console/settings#notification">New notification</a>`,
    },
    hooks.length === 0
      ? nothing('No notifications yet.')
      : table<Hook>(hooks, [
          ['Name', 'name', (hook) => html`<a href="${editAddress(hook)}">${hook.name}</a>`],
          ['To', 'labelled', (hook) => `${HOOK_FORMATS[hook.format].name} · ${shownTarget(hook)}`],
          ['When', 'labelled', condition],
          [
            'Last message',
            'labelled',
            ({ name }) =>
              lastMessage(
                deliveries.find(({ hook }) => hook === name),
                now,
              ),
          ],
          ['Checked up to', 'labelled', ({ cursor }) => time(cursor, now)],
          ['~Actions', 'n last', actions],
        ]),
  )

const editAddress = ({ name }: Hook): string =>
  `${address('/console/settings', { edit: name })}#notification`

const condition = ({ transition, hours, filter, cause }: Hook): Html =>
  html`${TRANSITIONS[transition].name}${transition === 'silent' ? ` ${hours} h` : ''}${filter === '' ? NONE : html` · <code>${filter}</code>`}${cause === '' ? NONE : html` · <a href="${causeAddress(cause, { since: 'all' })}">one cause</a>`}`

function lastMessage(delivery: Delivery | undefined, now: number): Html {
  if (delivery === undefined) return html`<span class="muted">none</span>`
  return html`${time(delivery.created, now)} ${resultTag(delivery)}`
}

const resultTag = (delivery: Delivery): Html => {
  const { name, hue } = resultOf(delivery)
  return html`<span class="tag ${hue}">${name}</span>`
}

/** Deleting asks first: the button stands in a menu of its own. */
const actions = (hook: Hook): Html =>
  html`<span class="acts"
    >${postButton(`${hooksPath}/${hook.name}/test`, 'Send test')}
    ${menu(
      'More',
      html`<div>
        <p><a href="${editAddress(hook)}">Edit</a></p>
        <p class="help">Deletes ${hook.name} and its delivery log.</p>
        ${postButton(`${hooksPath}/${hook.name}/delete`, `Delete ${hook.name}`, 'danger')}
      </div>`,
      'end',
    )}</span
  >`

export const deliveryCard = (deliveries: readonly Delivery[], now: number): Html =>
  card(
    {
      name: 'Delivery log',
      id: 'deliveries',
      note: `last ${MOST_DELIVERIES} messages; failed deliveries are retried for a day`,
    },
    deliveries.length === 0
      ? nothing('No messages yet.')
      : table<Delivery>(deliveries, [
          ['Sent', 'name', ({ created }) => time(created, now)],
          ['Notification', 'labelled', ({ hook }) => html`<span class="t">${hook}</span>`],
          ['Message', 'labelled', ({ title }) => title],
          [
            'Result',
            'labelled',
            (delivery) =>
              html`${resultTag(delivery)}
                <span class="muted"
                  >${outcomeInWords(delivery.outcome)}${nextIn(delivery, now)}</span
                >`,
          ],
          [
            '~Actions',
            'n last',
            ({ id }) => postButton(`/console/settings/deliveries/${id}/replay`, 'Send again'),
          ],
        ]),
  )

/** When the next attempt is due. */
function nextIn({ delivered, next, attempts }: Delivery, now: number): string {
  if (delivered !== null || next === null || attempts === 0) return ''
  return next <= now ? '; the next attempt is due' : `; next attempt in ${age(next - now)}`
}
