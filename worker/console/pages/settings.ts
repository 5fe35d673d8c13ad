/** The page of settings, for unrestricted administrators: notifications, refused commands, tokens. */

import type { Call } from '../../http/context.ts'
import { rulesFor } from '../../http/guard.ts'
import { requireOwnOrigin } from '../../http/public-address.ts'
import { QueryError } from '../../lib/errors.ts'
import { HookError } from '../../notify/hooks.ts'
import { counted } from '../format.ts'
import { actionOf, previewOf, requireAdmin, type ActionPath } from '../hook-actions.ts'
import { each, html, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { accessCards } from '../parts/access.ts'
import { findSettings, hookCards, type SentOutcome } from '../parts/hooks.ts'
import { title } from '../parts/list.ts'
import type { Visit } from '../visit.ts'

/** The parts of the page, and the pages of what is saved. */
const SECTIONS = [
  ['#active', 'Notifications'],
  ['#deliveries', 'Delivery log'],
  ['#refused', 'Refused commands'],
  ['#tokens', 'Access tokens'],
  ['/console/saved', 'Saved views and queries'],
] as const

/** The page, with a preview of a hook if the address has one. @throws Denied for everyone else */
export async function show(visit: Visit, call: Call): Promise<Page> {
  requireAdmin(visit)
  return orRefused(call, visit, async () =>
    pageOf(call, visit, { preview: await previewOf(visit, call) }),
  )
}

/** Runs the action of a form, if it comes from this site. */
export async function changeSettings(call: Call, visit: Visit, path: ActionPath): Promise<Page> {
  requireOwnOrigin(call)
  requireAdmin(visit)
  const database = call.var.databases.primary()
  const shown = { ...visit, url: new URL('/console/settings', visit.url), database }
  const { search, run } = await actionOf(call, { ...visit, url: shown.url }, path)
  const sent = { ...shown, url: new URL(`?${search}`, shown.url) }
  return orRefused(call, sent, async () => pageOf(call, shown, { done: await run() }))
}

/** The page, or what is wrong above it with the form as it was sent. */
async function orRefused(call: Call, visit: Visit, make: () => Promise<Page>): Promise<Page> {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const outcome =
      error instanceof HookError
        ? {
            error,
            done: wrong(
              html`<p>
                The notification was not saved: <a href="#hook-${error.field}">see the form</a>.
              </p>`,
            ),
          }
        : { done: wrong(html`<pre>${error.message}</pre>`) }
    return { ...(await pageOf(call, visit, outcome)), status: 'bad request' }
  }
}

const wrong = (what: Html): Html => html`<div class="note failed" role="alert">${what}</div>`

async function pageOf(call: Call, visit: Visit, outcome: SentOutcome): Promise<Page> {
  const found = await findSettings(visit)
  return {
    title: `Settings: ${counted(found.hooks.length, 'notification')}`,
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
          ${outcome.done}${await hookCards(visit, found, outcome)}
          ${accessCards(found.refusals, rulesFor(call.var.settings).tokens, visit.now)}
        </div>
      </div>`,
  }
}
