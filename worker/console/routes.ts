/** Every endpoint below `/console`, one row each: the pages, and the endpoints of their forms and scripts. */

import { setCookie } from 'hono/cookie'
import { FORMS, type Form } from '../http/accept.ts'
import type { Call, Handler } from '../http/context.ts'
import { jsonResponse, respond, STATUS, textResponse } from '../http/respond.ts'
import type { Method, Route } from '../http/router.ts'
import { requireOwnOrigin } from '../http/public-address.ts'
import type { Page, PageModule, PageRoute } from './page.ts'
import { newerRuns } from './newer.ts'
import { PAGES, rarePages } from './pages.ts'
import { notFound } from './pages/errors.ts'
import { changedPreferences, PREFERENCES_COOKIE, printPreferences } from './preferences.ts'
import { PAGE_HEADERS, respondRows } from './respond.ts'
import type { ActionPath } from './hook-actions.ts'
import { forReaders, showPage, withErrorPage } from './show-page.ts'
import { respondSignIn } from './show-sign-in.ts'
import { obstacleOf, readForm, signIn, signOut, returnPath } from './sign-in.ts'
import type { Visit } from './visit.ts'

/** The guard lets everyone pass: the console has a sign-in of its own (`forReaders`). */
const route = (method: Method, path: string, handler: Handler): Route => ({
  scope: 'none',
  allowsRestricted: true,
  mounts: ['/console'],
  method,
  path,
  handler: withErrorPage(handler),
})

/** A page, and the rows of its list in each form. */
const pageRoutes = (page: PageRoute): Route[] => [
  ...(page.hasRows ? FORMS.map((form) => exportRoute(page, form)) : []),
  route(
    'GET',
    page.path,
    showing<PageModule>(page.load, ({ show }, call, visit) => show(visit, call)),
  ),
]

/** Loads what makes the page first, for what an isolate loads once is not what makes a page slow. */
const showing = <Module>(
  load: () => Module | Promise<Module>,
  make: (module: Module, call: Call, visit: Visit) => Page | Promise<Page>,
): Handler =>
  forReaders(async (call, visit) => {
    const module = await load()
    return showPage(call, visit, () => make(module, call, visit))
  })

/** The rows of a page's list, at the page's address with a suffix. The router needs a suffix after a parameter as part of its pattern. */
function exportRoute({ path, load }: PageRoute & { readonly hasRows: true }, form: Form): Route {
  const suffixed = /:\w+$/.test(path) ? `${path}{.+\\.${form}}` : `${path}.${form}`
  const answer = forReaders(async (call, visit) => {
    const { rows } = await load()
    const names = Object.entries(visit.names).map(([name, value]) => [
      name,
      value.endsWith(`.${form}`) ? value.slice(0, -form.length - 1) : value,
    ])
    const unsuffixed = { ...visit, names: Object.fromEntries(names) as Visit['names'] }
    return respondRows(call.var.trace, rows(unsuffixed), form, path.split('/')[1]!)
  })
  return route('GET', suffixed, answer)
}

async function sendAsset(call: Call): Promise<Response> {
  const asset = await call.var.assets.fetch(call.req.raw)
  if (asset.status !== STATUS.ok) return textResponse('Not Found', 'not found')
  return respond(asset.body, {
    ...Object.fromEntries(asset.headers),
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
}

const showSignIn: Handler = (call) =>
  respondSignIn(call, returnPath(call.req.query('back')), obstacleOf(call))

/** Few isolates are asked for it. */
const withIssuer = () => import('./issuer-sign-in.ts')

async function startSession(call: Call): Promise<Response> {
  requireOwnOrigin(call)
  const form = await readForm(call)
  const back = form.get('back')
  const problem = signIn(call, form.get('token') ?? '')
  if (problem === null) return call.redirect(returnPath(back), STATUS['see other'])
  return respondSignIn(call, returnPath(back), problem)
}

async function endSession(call: Call): Promise<Response> {
  requireOwnOrigin(call)
  await signOut(call)
  return call.redirect('/console/sign-in', STATUS['see other'])
}

function storePreferences(call: Call, { url, preferences }: Visit): Response {
  const chosen = changedPreferences(preferences, url.searchParams)
  setCookie(call, PREFERENCES_COOKIE, printPreferences(chosen), {
    path: '/console',
    httpOnly: true,
    sameSite: 'Lax',
    secure: url.protocol === 'https:',
    maxAge: 365 * 86_400,
  })
  return call.redirect(returnPath(url.searchParams.get('back')))
}

/** The forms of the settings page. */
const ACTION_PATHS: readonly ActionPath[] = [
  'hooks',
  'hooks/:name/edit',
  'hooks/:name/test',
  'hooks/:name/delete',
  'deliveries/:name/replay',
]

/** Addresses of earlier versions, and where their pages are now. Parameters stay. */
const MOVED: readonly (readonly [path: string, to: string])[] = [
  ['/wall', '/console?layout=wall'],
  ['/pending', '/console/changes?kind=noop'],
  ['/views', '/console/saved'],
  ['/reference', '/openapi.json'],
]

function movedTo(call: Call, to: string): Response {
  const url = new URL(to, call.req.url)
  for (const [name, value] of new URL(call.req.url).searchParams)
    url.searchParams.append(name, value)
  return call.redirect(url.pathname + url.search, STATUS.found)
}

const json = (value: unknown): Response => jsonResponse(JSON.stringify(value))

// One row a line, whatever its length.
// oxfmt-ignore
export const CONSOLE_ROUTES: readonly Route[] = [
  route('GET', '/assets/*', sendAsset),
  route('GET', '/sign-in', showSignIn),
  route('POST', '/sign-in', startSession),
  route('GET', '/sign-in/issuer', async (call) => (await withIssuer()).startAtIssuer(call)),
  route('GET', '/sign-in/issuer/callback', async (call) => (await withIssuer()).returnFromIssuer(call)),
  route('POST', '/sign-out', endSession),

  ...PAGES.flatMap(pageRoutes),

  ...ACTION_PATHS.map((path) =>
    route('POST', `/settings/${path}`, showing(rarePages, ({ settings }, call, visit) => settings.changeSettings(call, visit, path)))),
  route('POST', '/causes/:cause/acknowledgement', showing(rarePages, ({ changeAcknowledgement }, call, visit) => changeAcknowledgement(call, visit))),
  route('POST', '/views', showing(rarePages, ({ changeViews }, call, visit) => changeViews(call, visit))),
  route('POST', '/queries', showing(rarePages, ({ changeSaved }, call, visit) => changeSaved(call, visit))),
  route('GET', '/prefer', forReaders(storePreferences)),
  route('GET', '/newer', forReaders((call, visit) => newerRuns(visit, call.req.header('if-none-match') ?? null))),
  route('GET', '/suggest', forReaders(async (_, visit) => respond(String(await (await rarePages()).suggestions(visit)), PAGE_HEADERS))),
  route('GET', '/complete', forReaders(async (_, visit) => json(await (await rarePages()).completeQuery(visit)))),
  route('GET', '/check', forReaders(async (_, visit) => json((await rarePages()).checkQuery(visit)))),

  route('GET', '/map.json', forReaders(async (_, visit) => json(await (await rarePages()).mapRows(visit)))),
  ...MOVED.map(([path, to]) => route('GET', path, forReaders((call) => movedTo(call, to)))),

  route('ALL', '/*', forReaders((call, visit) => showPage(call, visit, () => notFound('There is no such page.')))),
]
