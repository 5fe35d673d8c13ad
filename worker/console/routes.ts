/** The routes below `/console`, a line each. */

import { getCookie, setCookie } from 'hono/cookie'
import { requireAccess } from '../access/decide.ts'
import { FORMS, type Form } from '../http/accept.ts'
import type { Call, Surroundings } from '../http/context.ts'
import { circumstancesOf, rulesFor } from '../http/guard.ts'
import { jsonResponse, respond, STATUS, textResponse } from '../http/respond.ts'
import { newRouter } from '../http/router.ts'
import { NotFound } from '../lib/errors.ts'
import { address } from './address.ts'
import { checkQuery, completeQuery } from './assist.ts'
import { newerRuns } from './newer.ts'
import type { Page, PageRoute } from './page.ts'
import { cause } from './pages/cause.ts'
import { causes } from './pages/causes.ts'
import { changes } from './pages/changes.ts'
import { diff } from './pages/diff.ts'
import { errorPage, notFound, reportGone } from './pages/errors.ts'
import { fleet } from './pages/fleet.ts'
import { node } from './pages/node.ts'
import { nodes } from './pages/nodes.ts'
import { query } from './pages/query.ts'
import { report, reportDiff } from './pages/report.ts'
import { reports } from './pages/reports.ts'
import { search } from './pages/search.ts'
import { signInPage } from './pages/sign-in.ts'
import {
  changedPreferences,
  PREFERENCES_COOKIE,
  printPreferences,
  readPreferences,
} from './preferences.ts'
import { readerOf } from './reader.ts'
import { respondPage, respondRows } from './respond.ts'
import { changeSaved } from './saved-queries.ts'
import { ACTION_PATHS, changeSettings, showSettings } from './settings.ts'
import { obstacleOf, readForm, requireOwnOrigin, signIn, signOut, wayBack } from './sign-in.ts'
import type { Reader, Visit } from './visit.ts'

const PAGES: readonly PageRoute[] = [
  fleet,
  causes,
  cause,
  nodes,
  node,
  reports,
  reportDiff,
  report,
  diff,
  changes,
  query,
  search,
]

export const consolePages = newRouter<Surroundings>()

/** The reader of a page before the sign-in. */
const NOBODY: Reader = {
  name: null,
  signedIn: false,
  restrictionNote: null,
  restrictions: null,
  rowPolicy: null,
  admin: false,
}

function visitOf(c: Call, reader: Reader): Visit {
  return {
    url: new URL(c.req.url),
    names: c.req.param(),
    database: c.var.databases.nearest(),
    now: Date.now(),
    reader,
    preferences: readPreferences(getCookie(c, PREFERENCES_COOKIE) ?? ''),
  }
}

/** A page, or the page that says why there is none. */
const showPage = (c: Call, visit: Visit, make: () => Promise<Page> | Page) =>
  // Errors thrown synchronously get an error page too.
  respondPage(visit, c.var.trace, (async () => make())(), (error) =>
    error instanceof NotFound && error.thing === 'report'
      ? reportGone(error, c.env, visit)
      : errorPage(error, idOf(c)),
  )

const idOf = (c: Call): string => c.req.header('cf-ray') ?? crypto.randomUUID().slice(0, 8)

/** A route for readers. Other browsers are redirected to the sign-in, other programs are refused as everywhere. */
const forReaders =
  (answer: (c: Call, visit: Visit) => Promise<Response> | Response) =>
  async (c: Call): Promise<Response> => {
    const reader = await readerOf(c)
    if (reader !== null) return answer(c, visitOf(c, reader))
    const { pathname, search } = new URL(c.req.url)
    if (c.req.method === 'GET' && c.req.header('accept')?.includes('text/html')) {
      return c.redirect(
        address('/console/sign-in', { back: pathname + search }),
        STATUS['see other'],
      )
    }
    const circumstances = circumstancesOf(c.req.raw, rulesFor(c.var.settings).nobody)
    requireAccess({ scope: 'read', allowsRestricted: true }, null, circumstances)
    return c.notFound()
  }

consolePages.get('/assets/*', async (c) => {
  const asset = await c.var.assets.fetch(c.req.raw)
  if (asset.status !== STATUS.ok) return textResponse('Not Found', 'not found')
  return respond(asset.body, {
    ...Object.fromEntries(asset.headers),
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
})

consolePages.get('/sign-in', (c) =>
  showPage(c, visitOf(c, NOBODY), () => signInPage(wayBack(c.req.query('back')), obstacleOf(c))),
)
consolePages.post('/sign-in', async (c) => {
  requireOwnOrigin(c)
  const form = await readForm(c)
  const back = form.get('back')
  const problem = signIn(c, form.get('token') ?? '')
  if (problem === null) return c.redirect(wayBack(back), STATUS['see other'])
  return showPage(c, visitOf(c, NOBODY), () => signInPage(wayBack(back), problem))
})
consolePages.post('/sign-out', (c) => {
  requireOwnOrigin(c)
  signOut(c)
  return c.redirect('/console/sign-in', STATUS['see other'])
})

/** The rows of a page's list, at its address with a suffix. The router takes a suffix of a parameter as an expression of it. */
function exported(path: string, format: Form, rows: NonNullable<PageRoute['rows']>): void {
  const suffixed = /:\w+$/.test(path) ? `${path}{.+\\.${format}}` : `${path}.${format}`
  const answer = forReaders((c, visit) => {
    const names = Object.entries(visit.names).map(([name, value]) => [
      name,
      value.endsWith(`.${format}`) ? value.slice(0, -format.length - 1) : value,
    ])
    const asked = { ...visit, names: Object.fromEntries(names) as Visit['names'] }
    return respondRows(c.var.trace, rows(asked), format, path.split('/')[1]!)
  })
  consolePages.get(suffixed, answer)
}

for (const { path, show, rows } of PAGES) {
  if (rows) for (const format of FORMS) exported(path, format, rows)
  consolePages.get(
    path === '' ? '/' : path,
    forReaders((c, visit) => showPage(c, visit, () => show(visit))),
  )
}

consolePages.get(
  '/settings',
  forReaders((c, visit) => showPage(c, visit, () => showSettings(c, visit))),
)
for (const path of ACTION_PATHS) {
  consolePages.post(
    `/settings/${path}`,
    forReaders((c, visit) => showPage(c, visit, () => changeSettings(c, visit, path))),
  )
}
consolePages.get(
  '/newer',
  forReaders((c, visit) => newerRuns(visit, c.req.header('if-none-match') ?? null)),
)
consolePages.get(
  '/complete',
  forReaders(async (_, visit) => jsonResponse(JSON.stringify(await completeQuery(visit)))),
)
consolePages.get(
  '/check',
  forReaders((_, visit) => jsonResponse(JSON.stringify(checkQuery(visit)))),
)
consolePages.post(
  '/queries',
  forReaders((c, visit) => showPage(c, visit, () => changeSaved(c, visit))),
)
consolePages.get(
  '/prefer',
  forReaders((c, { url, preferences }) => {
    const chosen = changedPreferences(preferences, url.searchParams)
    setCookie(c, PREFERENCES_COOKIE, printPreferences(chosen), {
      path: '/console',
      httpOnly: true,
      sameSite: 'Lax',
      secure: url.protocol === 'https:',
      maxAge: 365 * 86_400,
    })
    return c.redirect(wayBack(url.searchParams.get('back')))
  }),
)

consolePages.all(
  '*',
  forReaders((c, visit) => showPage(c, visit, () => notFound('There is no such page.'))),
)

consolePages.onError((error, c) => {
  // Programs get the plain error, people a page.
  if (!c.req.header('accept')?.includes('text/html')) throw error
  return showPage(c, visitOf(c, NOBODY), () => Promise.reject(error))
})
