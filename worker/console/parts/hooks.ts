/** The hooks that exist, and the log of their messages. */

import { shownTarget, type HookError, type HookPreview } from '../../notify/hooks.ts'
import { outcomeInWords, resultOf } from '../../notify/outcome.ts'
import { HOOK_FORMATS } from '../../schema/hook-formats.ts'
import { TRANSITIONS } from '../../schema/transitions.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { readAll } from '../../store/batch-read.ts'
import { deliveriesRead, MOST_DELIVERIES, type Delivery } from '../../store/deliveries.ts'
import { hooksRead, reasonOfCause, type Hook } from '../../store/hooks.ts'
import { refusalsRead } from '../../store/refusals.ts'
import { address, causeAddress } from '../address.ts'
import { hookFieldsOf } from '../hook-form.ts'
import { html, NONE, type Html } from '../html.ts'
import { age } from '../format.ts'
import { everywhereRead, wholeView, type Visit } from '../visit.ts'
import { chosenFormat, hookForm } from './hook-form.ts'
import { hookPreview } from './hook-preview.ts'
import { card } from './list.ts'
import { tableCard } from './list-card.ts'
import { menu } from './menu.ts'
import { when } from './time.ts'

const hooksPath = '/console/settings/hooks'

const time = (milliseconds: number, now: number): Html => when(formatTimestamp(milliseconds), now)

/** A button that sends a POST request. */
const postButton = (to: string, name: string, look = 'plain'): Html =>
  html`<form method="post" action="${to}"><button class="${look}">${name}</button></form>`

/** The outcome of the form that was just sent, or of a preview. */
export interface SentOutcome {
  readonly done?: Html
  /** The field of the form that was refused. */
  readonly error?: HookError | null
  /** The message of the hook in the form, and what it would have reported. */
  readonly preview?: HookPreview | null
}

/** What the page of settings reads, in one round trip. */
export const findSettings = async (visit: Visit) =>
  readAll(visit.database, {
    hooks: hooksRead(),
    deliveries: deliveriesRead(),
    refusals: refusalsRead(),
    fleet: everywhereRead(await wholeView(visit)),
  })

/** The hooks, the form of one, and the log of their messages. */
export async function hookCards(
  { url: { searchParams }, database, now }: Visit,
  { hooks, deliveries, fleet }: Awaited<ReturnType<typeof findSettings>>,
  { error = null, preview = null }: SentOutcome,
): Promise<Html> {
  const editedName = searchParams.get('edit') ?? searchParams.get('preview')
  const edited = hooks.find(({ name }) => name === editedName) ?? null
  const fields = hookFieldsOf(searchParams, edited)
  const form = hookForm({
    ...{ fields, edited, error },
    environments: fleet.environments.flatMap(({ environment }) => environment ?? []),
    causeReason: fields['cause'] ? await reasonOfCause(database, fields['cause']) : null,
  })
  const name = edited === null ? 'New notification' : html`Edit ${edited.name}`
  return html`<p class="muted">
      A notification sends a message to a chat or a webhook when something starts to fail, goes
      silent or recovers. Each message says what, where and since when, and links to a page that
      stays current.
    </p>
    ${hookCard(hooks, deliveries, now)}
    ${card(
      { name, id: 'notification' },
      html`<div class="in cols">
        ${form}
        <aside class="col" aria-label="Preview">
          ${hookPreview(preview, chosenFormat(fields), now)}
        </aside>
      </div>`,
    )}
    ${deliveryCard(deliveries, now)}`
}

const hookCard = (hooks: readonly Hook[], deliveries: readonly Delivery[], now: number): Html =>
  tableCard<Hook>(
    {
      name: 'Active',
      id: 'active',
      actions: html`<a class="btn" href="/console/settings#notification">New notification</a>`,
    },
    hooks,
    [
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
    ],
    'No notifications yet.',
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

const deliveryCard = (deliveries: readonly Delivery[], now: number): Html =>
  tableCard<Delivery>(
    {
      name: 'Delivery log',
      id: 'deliveries',
      note: `last ${MOST_DELIVERIES} messages; failed deliveries are retried for a day`,
    },
    deliveries,
    [
      ['Sent', 'name', ({ created }) => time(created, now)],
      ['Notification', 'labelled', ({ hook }) => html`<span class="t">${hook}</span>`],
      ['Message', 'labelled', ({ title }) => title],
      [
        'Result',
        'labelled',
        (delivery) =>
          html`${resultTag(delivery)}
            <span class="muted">${outcomeInWords(delivery.outcome)}${nextIn(delivery, now)}</span>`,
      ],
      [
        '~Actions',
        'n last',
        ({ id }) => postButton(`/console/settings/deliveries/${id}/replay`, 'Send again'),
      ],
    ],
    'No messages yet.',
  )

/** When the next attempt is due. */
function nextIn({ delivered, next, attempts }: Delivery, now: number): string {
  if (delivered !== null || next === null || attempts === 0) return ''
  return next <= now ? '; the next attempt is due' : `; next attempt in ${age(next - now)}`
}
