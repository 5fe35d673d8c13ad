/** The settings page, for administrators: notifications, retention, refused commands, tokens. */

import type { StoredToken } from '../../access/tokens.ts'
import { readAll } from '../../store/batch-read.ts'
import type { OccurrencePreview } from '../../insight/transitions.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { shownTarget } from '../../notify/hooks.ts'
import { TRANSITION_NAMES, TRANSITIONS } from '../../schema/transitions.ts'
import { refusalsRead } from '../../store/refusals.ts'
import { deliveriesRead, type Delivery } from '../../store/deliveries.ts'
import { hooksRead, type Hook } from '../../store/hooks.ts'
import type { RetentionPreview } from '../../housekeeping/preview-retention.ts'
import { causeAddress, reportAddress } from '../address.ts'
import { each, html, NONE, type Content, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { card, choiceField, nothing, textField, title, type Choice } from '../parts/list.ts'
import { table } from '../parts/plain-table.ts'
import { refusalTable } from '../parts/refusals.ts'
import { when } from '../parts/time.ts'
import type { Visit } from '../visit.ts'
import { age, counted, listed, number } from '../format.ts'

/** The parts of the page that are not read from the database. */
export interface SettingsFacts {
  readonly tokens: readonly StoredToken[]
  /** The retention settings as written, by name; in a preview, the values of the form. */
  readonly ages: Readonly<Record<string, string>>
  /** What retention would delete at these ages; null without a preview. */
  readonly retention: readonly RetentionPreview[] | null
  /** What a new hook would have reported; null without a preview. */
  readonly preview: OccurrencePreview | null
  /** The outcome of the form that was just sent. */
  readonly done: Html
}

export async function makeSettingsPage(visit: Visit, facts: SettingsFacts): Promise<Page> {
  const { hooks, deliveries, refusals } = await readAll(visit.database, {
    hooks: hooksRead(),
    deliveries: deliveriesRead(),
    refusals: refusalsRead(),
  })
  return {
    title: `Settings: ${counted(hooks.length, 'hook')}`,
    // A target may hold a secret.
    inTitle: ['url'],
    body: html`${title('Settings')} ${facts.done}
    ${card({ name: 'Notifications' }, html`${hookTable(hooks, visit.now)}${newHook(visit)}${facts.preview === null ? NONE : occurrences(facts.preview, visit.now)}`)}
    ${card({ name: 'Latest messages' }, html`${deliveryTable(deliveries, visit.now)}`)}
    ${card({ name: 'Retention' }, html`${retention(facts)}`)}
    ${card({ name: 'Recent refusals' }, html`${refusalTable(refusals, visit.now)}`)}
    ${card({ name: 'Tokens' }, html`${tokenTable(facts.tokens, visit.now)}`)}`,
  }
}

const time = (milliseconds: number | null, now: number): Html =>
  when(milliseconds === null ? null : formatTimestamp(milliseconds), now)

/** A button that sends a POST request. */
const postButton = (to: string, name: string): Html =>
  html`<form method="post" action="/console/settings/${to}"><button>${name}</button></form>`

const hookTable = (hooks: readonly Hook[], now: number): Html =>
  hooks.length === 0
    ? nothing('No hooks yet.')
    : table(
        ['Hook', 'Event', 'Filter', 'URL', 'Checked up to', ''],
        hooks.map((hook) => [
          hook.name,
          `${TRANSITIONS[hook.transition].word}${hook.transition === 'silent' ? ` ${hook.hours} h` : ''}`,
          conditions(hook),
          shownTarget(hook),
          time(hook.cursor, now),
          html`${postButton(`hooks/${hook.name}/test`, 'Send test')}${postButton(`hooks/${hook.name}/delete`, 'Delete')}`,
        ]),
      )

const conditions = ({ filter, cause }: Hook): Content =>
  filter === '' && cause === ''
    ? 'any'
    : html`${filter === '' ? NONE : html`<code>${filter}</code> `}${cause === '' ? NONE : html`<a href="${causeAddress(cause, { since: 'all' })}">cause ${cause.slice(0, 8)}</a>`}`

const TRANSITION_CHOICES = TRANSITION_NAMES.map((name): Choice => [name, TRANSITIONS[name].about])

const newHook = (visit: Visit): Html =>
  html`<form method="post" action="/console/settings/hooks" class="asks" data-still>
      ${textField(visit, 'name', 'Name', 'on-call')}${choiceField(visit, 'transition', 'Event', TRANSITION_CHOICES)}${textField(
        visit,
        'hours',
        'Hours of silence',
        '4',
      )}${textField(visit, 'filter', 'Only reports matching (PQL)', 'environment = "production"')}${textField(visit, 'cause', 'Only this cause', 'any cause')}${textField(visit, 'url', 'URL', 'https://example.com/hook')}<button
        class="primary"
      >
        Add</button
      ><button formmethod="get" formaction="/console/settings" name="rehearse" value="on">
        Preview last 7 days
      </button>
    </form>
    <p class="muted">
      Messages are sent over HTTPS and signed as Standard Webhooks. Addresses in local networks are
      refused. Failed deliveries are retried for a day.
    </p>`

const occurrences = ({ since, total, items }: OccurrencePreview, now: number): Html =>
  html`<h3>${counted(total, 'occurrence')} in the last ${age(now - since)}</h3>
    ${table(
      ['Time', 'Node', 'Reason'],
      items.map(({ certname, time: at, report, reason }) => [
        html`<a href="${reportAddress(report)}">${when(at, now)}</a>`,
        certname,
        reason ?? '',
      ]),
    )}`

function stateOf({ delivered, next }: Delivery): string {
  if (delivered !== null) return 'delivered'
  return next === null ? 'failed' : 'waiting'
}

const deliveryTable = (deliveries: readonly Delivery[], now: number): Html =>
  deliveries.length === 0
    ? nothing('No messages yet.')
    : table(
        ['Time', 'Hook', 'State', 'Attempts', 'Last answer', 'Next attempt', ''],
        deliveries.map((delivery) => [
          time(delivery.created, now),
          delivery.hook,
          stateOf(delivery),
          number(delivery.attempts),
          delivery.outcome ?? '',
          time(delivery.next, now),
          postButton(`deliveries/${delivery.id}/replay`, 'Send again'),
        ]),
      )

const retention = ({ ages, retention: preview }: SettingsFacts): Html =>
  html`<form class="asks" data-still action="/console/settings">
      ${each(
        Object.entries(ages),
        ([name, value]) =>
          html`<label class="field">${name} <input name="${name}" value="${value}" /></label>`,
      )}<button name="dry-run" value="on">Preview deletions</button>
    </form>
    <p class="muted">
      Set these ages in <code>wrangler.toml</code>, or in the environment of <code>npm start</code>.
      This form only shows what they would delete.
    </p>
    ${
      preview === null
        ? NONE
        : table(
            ['Rule', 'Before', 'Nodes', 'Reports', 'Events', 'Latest reports kept'],
            preview.map(({ step, rule, before, nodes, reports, events, latest_kept, complete }) => [
              `${step}: ${rule}${complete ? '' : ' (and more)'}`,
              before.slice(0, 16).replace('T', ' '),
              ...[nodes, reports, events, latest_kept].map((count): Content =>
                count === undefined ? '' : number(count),
              ),
            ]),
          )
    }`

const tokenTable = (tokens: readonly StoredToken[], now: number): Html =>
  html`${
      tokens.length === 0
        ? nothing('There are no tokens.')
        : table(
            ['Name', 'Scopes', 'Nodes', 'Environments', 'Expires'],
            tokens.map(({ principal: { name, scopes, restrictions }, expires }) => [
              name,
              listed([...scopes]),
              restrictions?.certnames?.join(', ') ?? 'all',
              restrictions?.environments?.join(', ') ?? 'all',
              expires === null
                ? 'never'
                : html`${formatTimestamp(expires).slice(0, 16).replace('T', ' ')}${expires <= now ? ' (expired)' : ''}`,
            ]),
          )
    }
    <p>
      <code>npm run token -- --name NAME --scope read</code> makes a token and prints the line to
      add to the secret <code>TOKENS</code>. Remove that line to revoke the token.
    </p>`
