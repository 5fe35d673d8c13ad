/** The requests of the settings page: shows it and changes hooks. For unrestricted administrators. */

import type { Call } from '../http/context.ts'
import { rulesFor } from '../http/guard.ts'
import { requireOwnOrigin } from '../http/public-address.ts'
import { Denied, QueryError } from '../lib/errors.ts'
import {
  createHook,
  editHook,
  formatOf,
  HookError,
  placeOf,
  previewHook,
  replay,
  ruleOf,
  testHook,
  type HookPreview,
  type ServicePlace,
} from '../notify/hooks.ts'
import { outcomeInWords } from '../notify/outcome.ts'
import { AGE_SETTINGS, Misconfigured, readSettings, writtenOf } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { deleteHook } from '../store/hooks.ts'
import { previewRetention } from '../housekeeping/preview-retention.ts'
import { hookFieldsOf, hookInputOf } from './hook-form.ts'
import { html, NONE, type Content, type Html } from './html.ts'
import type { Page } from './page.ts'
import { makeSettingsPage, type SettingsFacts } from './pages/settings.ts'
import { readForm } from './sign-in.ts'
import { mayAdminister, type Visit } from './visit.ts'

/** A preview lists this many occurrences. */
const PREVIEWED = 20

/** @throws Denied for everyone but unrestricted administrators */
export function requireAdmin({ reader }: Visit): void {
  if (mayAdminister(reader)) return
  throw new Denied('forbidden', 'Settings need the scope admin without restrictions.')
}

/** The page, with a preview of a hook or of retention if the address has one. */
export async function show(visit: Visit, c: Call): Promise<Page> {
  requireAdmin(visit)
  const { searchParams } = visit.url
  try {
    const preview = searchParams.has('preview') ? await previewOf(visit, c) : null
    return await makeSettingsPage(visit, { ...(await factsOf(c, visit)), preview })
  } catch (error) {
    return refused(c, visit, error)
  }
}

/** What the hook in the form would have reported. */
function previewOf({ url, database, now }: Visit, c: Call): Promise<HookPreview> {
  const input = hookInputOf(hookFieldsOf(url.searchParams, null))
  const hook = {
    ...ruleOf(input),
    name: url.searchParams.get('name') || url.searchParams.get('preview') || '',
    format: formatOf(input['format']),
    origin: placeOf(url, c.var.settings, c.var.hookNetworks).origin,
  }
  return previewHook(database, hook, c.var.settings, now, PREVIEWED)
}

/** The page with an error above it, and the form as it was sent. */
async function refused(c: Call, visit: Visit, error: unknown): Promise<Page> {
  if (!(error instanceof QueryError || error instanceof Misconfigured)) throw error
  const wrong = error instanceof HookError ? error : null
  const done =
    wrong === null
      ? html`<div class="note failed" role="alert"><pre>${error.message}</pre></div>`
      : html`<div class="note failed">
          <p>The notification was not saved: <a href="#hook-${wrong.field}">see the form</a>.</p>
        </div>`
  const url = new URL(visit.url)
  url.searchParams.delete('dry-run')
  return {
    ...(await makeSettingsPage(visit, {
      ...(await factsOf(c, { ...visit, url }, done)),
      error: wrong,
    })),
    status: 'bad request',
  }
}

async function factsOf(c: Call, visit: Visit, done: Html = NONE): Promise<SettingsFacts> {
  const { searchParams } = visit.url
  const dryRun = searchParams.has('dry-run')
  const ages = Object.fromEntries(
    AGE_SETTINGS.map((name) => [
      name,
      (dryRun ? searchParams.get(name) : null) ?? writtenOf(c.env, name),
    ]),
  )
  const retention = dryRun
    ? await previewRetention(visit.database, readSettings({ ...c.env, ...ages }), visit.now)
    : null
  return {
    tokens: rulesFor(c.var.settings).tokens,
    ages,
    retention,
    preview: null,
    error: null,
    done,
  }
}

type Action = (
  database: Database,
  request: {
    readonly form: URLSearchParams
    readonly place: ServicePlace
    readonly name: string
    readonly visit: Visit
  },
) => Promise<Html>

const note = (text: Content): Html => html`<div class="note" role="status"><p>${text}</p></div>`

/** The path of a form below the page → its action, which returns the outcome to show. */
const ACTIONS = {
  hooks: async (database, { form, place, visit: { now } }) => {
    const { name, secret } = await createHook(
      database,
      hookInputOf(hookFieldsOf(form, null)),
      place,
      now,
    )
    return note(
      html`Hook ${name} is active for new reports. Its messages are signed with
        <code>${secret}</code>, which is shown only this once.`,
    )
  },
  'hooks/:name/edit': async (database, { form, place, name, visit: { now } }) => {
    const input = hookInputOf(hookFieldsOf(form, null))
    const { secret } = await editHook(database, name, input, place, now)
    return note(
      html`Hook ${name} was
      changed.${secret === null ? NONE : html` Its messages are now signed with <code>${secret}</code>, which is shown only this once.`}`,
    )
  },
  'hooks/:name/test': async (database, { name, place, visit: { now } }) =>
    note(`Test of hook ${name}: ${outcomeInWords(await testHook(database, name, place, now))}.`),
  'hooks/:name/delete': async (database, { name }) =>
    note(
      (await deleteHook(database, name))
        ? `Hook ${name} was deleted.`
        : `There is no hook ${name}.`,
    ),
  'deliveries/:name/replay': async (database, { name, place, visit: { now } }) =>
    note(`Message sent again: ${outcomeInWords(await replay(database, name, place, now))}.`),
} satisfies Readonly<Record<string, Action>>

export type ActionPath = keyof typeof ACTIONS

/** Runs the action of a form, if it comes from this site. */
export async function changeSettings(c: Call, visit: Visit, path: ActionPath): Promise<Page> {
  requireOwnOrigin(c)
  requireAdmin(visit)
  const form = await readForm(c)
  const url = new URL('/console/settings', visit.url)
  const database = c.var.databases.primary()
  const shown = { ...visit, url, database }
  try {
    const place = placeOf(url, c.var.settings, c.var.hookNetworks)
    const request = { form, place, name: visit.names['name'] ?? '', visit: shown }
    return await makeSettingsPage(
      shown,
      await factsOf(c, shown, await ACTIONS[path](database, request)),
    )
  } catch (error) {
    url.search = form.toString()
    if (path === 'hooks/:name/edit') url.searchParams.set('edit', visit.names['name'] ?? '')
    return refused(c, { ...shown, url }, error)
  }
}
