/** Settings: who is told of what, what is kept how long, who may come in. For administrators. */

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
import { field, nothing, selectField, type Choice } from '../parts/list.ts'
import { table } from '../parts/plain-table.ts'
import { refusalTable } from '../parts/refusals.ts'
import { when } from '../parts/time.ts'
import type { Visit } from '../visit.ts'
import { counted, listed, number } from '../words.ts'

/** What the page shows beside what is stored. */
export interface SettingsFacts {
  readonly tokens: readonly StoredToken[]
  /** Ages by the name of their setting, as they are written; those that are tried where some are. */
  readonly ages: Readonly<Record<string, string>>
  /** What retention would do by these ages; null where nobody asked. */
  readonly retention: readonly RetentionPreview[] | null
  readonly rehearsal: OccurrencePreview | null
  /** What was just done. */
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
    says: ['url'],
    body: html`<h1>Settings</h1>
      ${facts.done}
      <section>
        <h2>Who is told of what</h2>
        ${hookTable(hooks, visit.now)}${newHook(visit)}${facts.rehearsal === null ? NONE : rehearsed(facts.rehearsal, visit.now)}
      </section>
      <section>
        <h2>Last messages</h2>
        ${deliveryTable(deliveries, visit.now)}
      </section>
      <section>
        <h2>What is kept how long</h2>
        ${retention(facts)}
      </section>
      <section>
        <h2>Refused lately</h2>
        ${refusalTable(refusals, visit.now)}
      </section>
      <section>
        <h2>Tokens</h2>
        ${tokenTable(facts.tokens, visit.now)}
      </section>`,
  }
}

const time = (milliseconds: number | null, now: number): Html =>
  when(milliseconds === null ? null : formatTimestamp(milliseconds), now)

/** A button that posts. */
const act = (to: string, name: string): Html =>
  html`<form method="post" action="/console/settings/${to}"><button>${name}</button></form>`

const hookTable = (hooks: readonly Hook[], now: number): Html =>
  hooks.length === 0
    ? nothing('Nobody is told of anything yet.')
    : table(
        ['Hook', 'Tells of', 'Of reports with', 'To', 'Looked until', ''],
        hooks.map((hook) => [
          hook.name,
          `${TRANSITIONS[hook.transition].word}${hook.transition === 'silent' ? ` ${hook.hours} h` : ''}`,
          conditions(hook),
          shownTarget(hook),
          time(hook.cursor, now),
          html`${act(`hooks/${hook.name}/test`, 'Send a test')}${act(`hooks/${hook.name}/delete`, 'Delete')}`,
        ]),
      )

const conditions = ({ filter, cause }: Hook): Content =>
  filter === '' && cause === ''
    ? 'any'
    : html`${filter === '' ? NONE : html`<code>${filter}</code> `}${cause === '' ? NONE : html`<a href="${causeAddress(cause, { since: 'all' })}">cause ${cause.slice(0, 8)}</a>`}`

const TRANSITION_CHOICES = TRANSITION_NAMES.map((name): Choice => [name, TRANSITIONS[name].about])

const newHook = (visit: Visit): Html =>
  html`<form method="post" action="/console/settings/hooks" class="chips" data-still>
      ${field(visit, 'name', 'name', 'on-call')}${selectField(visit, 'transition', 'when', TRANSITION_CHOICES)}${field(
        visit,
        'hours',
        'hours of silence',
        '4',
      )}${field(visit, 'filter', 'of reports with', 'environment = "production"')}${field(visit, 'cause', 'of failures by', 'any cause')}${field(visit, 'url', 'tell', 'https://example.com/hook')}<button
        class="primary"
      >
        Add</button
      ><button formmethod="get" formaction="/console/settings" name="rehearse" value="on">
        What would it have told?
      </button>
    </form>
    <p class="muted">
      A message goes by https, signed as Standard Webhooks are; local networks are refused. Messages
      that are not taken are tried again for a day.
    </p>`

const rehearsed = ({ since, total, items }: OccurrencePreview, now: number): Html =>
  html`<h3>${counted(total, 'time')} since ${time(since, now)}</h3>
    ${table(
      ['Time', 'Node', 'Why'],
      items.map(({ certname, time: at, report, reason }) => [
        html`<a href="${reportAddress(report)}">${when(at, now)}</a>`,
        certname,
        reason ?? '',
      ]),
    )}`

function stateOf({ delivered, next }: Delivery): string {
  if (delivered !== null) return 'taken'
  return next === null ? 'given up' : 'waiting'
}

const deliveryTable = (deliveries: readonly Delivery[], now: number): Html =>
  deliveries.length === 0
    ? nothing('No message has been sent yet.')
    : table(
        ['Time', 'Hook', 'State', 'Attempts', 'Last one', 'Next', ''],
        deliveries.map((delivery) => [
          time(delivery.created, now),
          delivery.hook,
          stateOf(delivery),
          number(delivery.attempts),
          delivery.outcome ?? '',
          time(delivery.next, now),
          act(`deliveries/${delivery.id}/replay`, 'Send again'),
        ]),
      )

const retention = ({ ages, retention: preview }: SettingsFacts): Html =>
  html`<form class="chips" data-still action="/console/settings">
      ${each(
        Object.entries(ages),
        ([name, value]) => html`<label>${name} <input name="${name}" value="${value}" /></label>`,
      )}<button name="dry-run" value="on">What would go now?</button>
    </form>
    <p class="muted">
      Ages are set in <code>wrangler.toml</code>, or in the environment of <code>npm start</code>.
      Nothing is changed here.
    </p>
    ${
      preview === null
        ? NONE
        : table(
            ['Rule', 'Before', 'Nodes', 'Reports', 'Events', 'Latest, which stay'],
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
            ['Name', 'Scopes', 'Nodes', 'Environments', 'Until'],
            tokens.map(({ principal: { name, scopes, restrictions }, expires }) => [
              name,
              listed([...scopes]),
              restrictions?.certnames?.join(', ') ?? 'all',
              restrictions?.environments?.join(', ') ?? 'all',
              expires === null
                ? 'it is taken out'
                : html`${formatTimestamp(expires).slice(0, 16).replace('T', ' ')}${expires <= now ? ', which is over' : ''}`,
            ]),
          )
    }
    <p>
      <code>npm run token -- --name NAME --scope read</code> makes one and prints the line to add to
      the secret <code>TOKENS</code>; a line that is taken out revokes its token.
    </p>`
