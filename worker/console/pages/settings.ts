/** The settings page, for administrators: notifications, retention, refused commands, tokens. */

import { commandText } from '../../lib/command-text.ts'
import type { StoredToken } from '../../access/tokens.ts'
import { readAll } from '../../store/batch-read.ts'
import type { HookError, HookPreview } from '../../notify/hooks.ts'
import { formatTimestamp } from '../../lib/time.ts'
import type { AgeSetting } from '../../schema/settings.ts'
import { HOOK_FORMAT_NAMES } from '../../schema/hook-formats.ts'
import { refusalsRead } from '../../store/refusals.ts'
import { deliveriesRead } from '../../store/deliveries.ts'
import { hooksRead, reasonOfCause } from '../../store/hooks.ts'
import type { RetentionPreview } from '../../housekeeping/preview-retention.ts'
import { hookFieldsOf } from '../hook-form.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { hookForm } from '../parts/hook-form.ts'
import { hookPreview, previewHint } from '../parts/hook-preview.ts'
import { deliveryCard, hookCard } from '../parts/hooks.ts'
import { card, nothing, title } from '../parts/list.ts'
import { table, type TableColumn } from '../parts/table.ts'
import { refusalTable } from '../parts/refusals.ts'
import { everywhereRead, wholeView, type Visit } from '../visit.ts'
import { counted, listed, number } from '../format.ts'

/** The parts of the page that are not read from the database. */
export interface SettingsFacts {
  readonly tokens: readonly StoredToken[]
  /** The retention settings as written, by name; in a preview, the values of the form. */
  readonly ages: Readonly<Record<string, string>>
  /** What retention would delete at these ages; null without a preview. */
  readonly retention: readonly RetentionPreview[] | null
  /** The message of the hook in the form, and what it would have reported; null without a preview. */
  readonly preview: HookPreview | null
  /** The field of the form that was refused; null for none. */
  readonly error: HookError | null
  /** The outcome of the form that was just sent. */
  readonly done: Html
}

/** The parts of the page, and the pages of what is saved. */
const SECTIONS = [
  ['#active', 'Notifications'],
  ['#deliveries', 'Delivery log'],
  ['#retention', 'Retention'],
  ['#refused', 'Refused commands'],
  ['#tokens', 'Access tokens'],
  ['/console/saved', 'Saved views and queries'],
] as const

export async function makeSettingsPage(visit: Visit, facts: SettingsFacts): Promise<Page> {
  const { url, database, now } = visit
  const { hooks, deliveries, refusals, fleet } = await readAll(database, {
    hooks: hooksRead(),
    deliveries: deliveriesRead(),
    refusals: refusalsRead(),
    fleet: everywhereRead(await wholeView(visit)),
  })
  const editedName = url.searchParams.get('edit') ?? url.searchParams.get('preview')
  const edited = hooks.find(({ name }) => name === editedName) ?? null
  const fields = hookFieldsOf(url.searchParams, edited)
  const form = hookForm({
    fields,
    edited,
    error: facts.error,
    environments: fleet.environments.flatMap(({ environment }) => environment ?? []),
    causeReason: fields['cause'] ? await reasonOfCause(database, fields['cause']) : null,
  })
  const format = HOOK_FORMAT_NAMES.find((name) => name === fields['format']) ?? 'webhook'
  return {
    title: `Settings: ${counted(hooks.length, 'notification')}`,
    timeless: true,
    // A target may hold a secret.
    inTitle: ['url'],
    body: html`${title('Settings')}
      <div class="side">
        <nav class="sub-nav" aria-label="Settings">
          <ul>
            ${each(SECTIONS, ([href, name]) => html`<li><a href="${href}">${name}</a></li>`)}
          </ul>
        </nav>
        <div class="col">
          ${facts.done}
          <p class="muted">
            A notification sends a message to a chat or a webhook when something starts to fail,
            goes silent or recovers. Each message says what, where and since when, and links to a
            page that stays current.
          </p>
          ${hookCard(hooks, deliveries, now)}
          ${card(
            {
              name: edited === null ? 'New notification' : html`Edit ${edited.name}`,
              id: 'notification',
            },
            html`<div class="in">
              <div class="cols">
                ${form}
                <aside class="col" aria-label="Preview">
                  ${facts.preview === null ? previewHint() : hookPreview(facts.preview, format, now)}
                </aside>
              </div>
            </div>`,
          )}
          ${deliveryCard(deliveries, now)}
          ${card({ name: 'Retention', id: 'retention', note: 'preview what these ages would delete' }, html`${retention(facts)}`)}
          ${card({ name: 'Refused commands', id: 'refused' }, html`${refusalTable(refusals, now)}`)}
          ${card({ name: 'Access tokens', id: 'tokens' }, html`${tokenTable(facts.tokens, now)}`)}
        </div>
      </div>`,
  }
}

/** Setting → what it ages. */
const AGE_NAMES: Readonly<Record<AgeSetting, string>> = {
  REPORT_TTL: 'Reports',
  REPORT_TTL_RULES: 'Exceptions',
  RESOURCE_EVENTS_TTL: 'Events',
  LOGS_AND_METRICS_TTL: 'Logs and metrics',
  NODE_TTL: 'Silent nodes expire',
  NODE_PURGE_TTL: 'Inactive nodes',
}

/** What a rule would delete, by its heading. */
const RETENTION_COUNTS = [
  ['Nodes', 'nodes'],
  ['Reports', 'reports'],
  ['Events', 'events'],
  ['Latest reports kept', 'latest_kept'],
] as const

const retention = ({ ages, retention: preview }: SettingsFacts): Html =>
  html`<form class="asks" action="/console/settings">
      ${each(
        Object.entries(ages),
        ([name, value]) =>
          html`<label class="field"
            >${AGE_NAMES[name as AgeSetting]} <small class="mono">${name}</small
            ><input name="${name}" value="${value}"
          /></label>`,
      )}<button name="dry-run" value="on">Preview deletions</button>
    </form>
    <p class="muted">
      This form changes nothing. Set these ages in <code>wrangler.toml</code>, or in the environment
      of a service on your own server.
    </p>
    ${
      preview === null
        ? NONE
        : table<RetentionPreview>(preview, [
            [
              'Rule',
              'name',
              ({ step, rule, complete }) => `${step}: ${rule}${complete ? '' : ' (and more)'}`,
            ],
            ['Before (UTC)', 'labelled', ({ before }) => before.slice(0, 16).replace('T', ' ')],
            ...RETENTION_COUNTS.map(([heading, name]): TableColumn<RetentionPreview> => [
              heading,
              'n labelled',
              ({ [name]: count }) => (count === undefined ? '' : number(count)),
            ]),
          ])
    }`

const tokenTable = (tokens: readonly StoredToken[], now: number): Html =>
  html`${
      tokens.length === 0
        ? nothing('No tokens.')
        : table<StoredToken>(tokens, [
            ['Name', 'name', ({ principal }) => principal.name],
            ['Scopes', 'labelled', ({ principal }) => listed([...principal.scopes])],
            [
              'Nodes',
              'labelled',
              ({ principal }) => principal.restrictions?.certnames?.join(', ') ?? 'all',
            ],
            [
              'Environments',
              'labelled',
              ({ principal }) => principal.restrictions?.environments?.join(', ') ?? 'all',
            ],
            [
              'Expires (UTC)',
              'labelled',
              ({ expires }) =>
                expires === null
                  ? 'never'
                  : html`${formatTimestamp(expires).slice(0, 16).replace('T', ' ')}${expires <= now ? ' (expired)' : ''}`,
            ],
          ])
    }
    <p>
      <code>${commandText('token', '--name NAME --scope read')}</code> makes a token and prints the
      line to add to the secret <code>TOKENS</code>. Remove that line to revoke the token.
    </p>`
