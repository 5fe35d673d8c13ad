/** The forms of the settings page: what each does with a notification, and what one would have reported. */

import type { Call } from '../http/context.ts'
import { Denied } from '../lib/errors.ts'
import {
  createHook,
  editHook,
  formatOf,
  placeOf,
  previewHook,
  replay,
  ruleOf,
  testHook,
  type HookPreview,
  type ServicePlace,
} from '../notify/hooks.ts'
import { outcomeInWords } from '../notify/outcome.ts'
import type { Database } from '../store/database.ts'
import { deleteHook } from '../store/hooks.ts'
import { hookFieldsOf, hookInputOf } from './hook-form.ts'
import { html, NONE, type Content, type Html } from './html.ts'
import { readForm } from './sign-in.ts'
import { mayAdminister, type Visit } from './visit.ts'

/** @throws Denied for everyone but unrestricted administrators */
export function requireAdmin({ reader }: Visit): void {
  if (mayAdminister(reader)) return
  throw new Denied('forbidden', 'Settings need the scope admin without restrictions.')
}

/** A preview lists this many occurrences. */
const PREVIEWED = 20

/** What the hook in the form would have reported; null where no preview is asked for. */
export async function previewOf(
  { url, database, now }: Visit,
  { var: { settings, hookNetworks } }: Call,
): Promise<HookPreview | null> {
  const { searchParams } = url
  if (!searchParams.has('preview')) return null
  const input = hookInputOf(hookFieldsOf(searchParams, null))
  const hook = {
    ...ruleOf(input),
    name: searchParams.get('name') || searchParams.get('preview') || '',
    format: formatOf(input['format']),
    origin: placeOf(url, settings, hookNetworks).origin,
  }
  return previewHook(database, hook, settings, now, PREVIEWED)
}

interface ActionRequest {
  readonly form: URLSearchParams
  readonly place: ServicePlace
  readonly name: string
  readonly now: number
}

const note = (text: Content): Html => html`<div class="note" role="status"><p>${text}</p></div>`

/** The path of a form below the page → its action, which returns the outcome to show. */
const ACTIONS = {
  async hooks(database, { form, place, now }) {
    const input = hookInputOf(hookFieldsOf(form, null))
    const { name, secret } = await createHook(database, input, place, now)
    return note(
      html`Hook ${name} is active for new reports. Its messages are signed with
        <code>${secret}</code>, which is shown only this once.`,
    )
  },
  async 'hooks/:name/edit'(database, { form, place, name, now }) {
    const input = hookInputOf(hookFieldsOf(form, null))
    const { secret } = await editHook(database, name, input, place, now)
    return note(
      html`Hook ${name} was
      changed.${secret === null ? NONE : html` Its messages are now signed with <code>${secret}</code>, which is shown only this once.`}`,
    )
  },
  'hooks/:name/test': async (database, { name, place, now }) =>
    note(`Test of hook ${name}: ${outcomeInWords(await testHook(database, name, place, now))}.`),
  async 'hooks/:name/delete'(database, { name }) {
    const isDeleted = await deleteHook(database, name)
    return note(isDeleted ? `Hook ${name} was deleted.` : `There is no hook ${name}.`)
  },
  'deliveries/:name/replay': async (database, { name, place, now }) =>
    note(`Message sent again: ${outcomeInWords(await replay(database, name, place, now))}.`),
} satisfies Readonly<Record<string, (database: Database, request: ActionRequest) => Promise<Html>>>

export type ActionPath = keyof typeof ACTIONS

/** The form that was sent, and what sending it does. */
export async function actionOf(call: Call, { url, names, now }: Visit, path: ActionPath) {
  const { settings, hookNetworks, databases } = call.var
  const [form, name] = [await readForm(call), names['name'] ?? '']
  const edited = path === 'hooks/:name/edit' ? { edit: name } : {}
  return {
    /** The fields of the form as parameters of the page, which shows them again. */
    search: new URLSearchParams([...form, ...Object.entries(edited)]).toString(),
    /** @returns the outcome in a sentence */
    run: async () =>
      ACTIONS[path](databases.primary(), {
        ...{ form, name, now },
        place: placeOf(url, settings, hookNetworks),
      }),
  }
}
