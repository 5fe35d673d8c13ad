/** The requests of the settings page: shows it and changes hooks. For unrestricted administrators. */

import type { Call } from '../http/context.ts'
import { rulesFor } from '../http/guard.ts'
import { previewOccurrences } from '../insight/transitions.ts'
import { Denied, QueryError } from '../lib/errors.ts'
import {
  createHook,
  placeOf,
  replay,
  ruleOf,
  testHook,
  type ServicePlace,
} from '../notify/hooks.ts'
import { AGE_SETTINGS, Misconfigured, readSettings, writtenOf } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { deleteHook } from '../store/hooks.ts'
import { previewRetention } from '../housekeeping/preview-retention.ts'
import { html, NONE, type Content, type Html } from './html.ts'
import type { Page, PageRoute } from './page.ts'
import { makeSettingsPage, type SettingsFacts } from './pages/settings.ts'
import { readForm, requireOwnOrigin } from './sign-in.ts'
import { mayAdminister, type Visit } from './visit.ts'

/** A preview lists this many occurrences. */
const PREVIEWED = 20

/** @throws Denied for everyone but unrestricted administrators */
export function requireAdmin({ reader }: Visit): void {
  if (mayAdminister(reader)) return
  throw new Denied('forbidden', 'Settings need the scope admin without restrictions.')
}

/** The page, with a preview of a hook or of retention if the address has one. */
async function show(visit: Visit, c: Call): Promise<Page> {
  requireAdmin(visit)
  const { searchParams } = visit.url
  try {
    const preview = searchParams.has('rehearse')
      ? await previewOccurrences(
          visit.database,
          ruleOf(Object.fromEntries(searchParams)),
          visit.now,
          PREVIEWED,
        )
      : null
    return await makeSettingsPage(visit, { ...(await factsOf(c, visit)), preview })
  } catch (error) {
    return refused(c, visit, error)
  }
}

export const settingsPage: PageRoute = {
  path: '/settings',
  menu: { name: 'Settings', key: 's', isFor: mayAdminister },
  show,
}

/** The page with an error above it, and the form as it was sent. */
async function refused(c: Call, visit: Visit, error: unknown): Promise<Page> {
  if (!(error instanceof QueryError || error instanceof Misconfigured)) throw error
  const done = html`<div class="note failed" role="alert"><p>${error.message}</p></div>`
  const url = new URL(visit.url)
  url.searchParams.delete('dry-run')
  return {
    ...(await makeSettingsPage(visit, await factsOf(c, { ...visit, url }, done))),
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
  return { tokens: rulesFor(c.var.settings).tokens, ages, retention, preview: null, done }
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
const ACTIONS: Readonly<Record<string, Action>> = {
  hooks: async (database, { form, place, visit: { now } }) => {
    const { name, secret } = await createHook(database, Object.fromEntries(form), place, now)
    return note(
      html`Hook ${name} is active for new reports. Its messages are signed with
        <code>${secret}</code>, which is shown only this once.`,
    )
  },
  'hooks/:name/test': async (database, { name, place, visit: { now } }) =>
    note(`Test of hook ${name}: ${await testHook(database, name, place, now)}.`),
  'hooks/:name/delete': async (database, { name }) =>
    note(
      (await deleteHook(database, name))
        ? `Hook ${name} was deleted.`
        : `There is no hook ${name}.`,
    ),
  'deliveries/:name/replay': async (database, { name, place, visit: { now } }) =>
    note(`Message sent again: ${await replay(database, name, place, now)}.`),
}

export const ACTION_PATHS = Object.keys(ACTIONS)

/** Runs the action of a form, if it comes from this site. */
export async function changeSettings(c: Call, visit: Visit, path: string): Promise<Page> {
  requireOwnOrigin(c)
  requireAdmin(visit)
  const form = await readForm(c)
  const url = new URL('/console/settings', visit.url)
  const database = c.var.databases.primary()
  const shown = { ...visit, url, database }
  try {
    const place = placeOf(url, c.var.settings)
    const request = { form, place, name: visit.names['name'] ?? '', visit: shown }
    return await makeSettingsPage(
      shown,
      await factsOf(c, shown, await ACTIONS[path]!(database, request)),
    )
  } catch (error) {
    url.search = form.toString()
    return refused(c, { ...shown, url }, error)
  }
}
