/** Turns a request into a page: finds the reader, makes the visit, and shows an error page if something fails. */

import { getCookie } from 'hono/cookie'
import { unauthenticated } from '../access/decide.ts'
import type { Call, Handler } from '../http/context.ts'
import { circumstancesOf, rulesFor } from '../http/guard.ts'
import { visibleHistory } from '../http/history/visible-history.ts'
import { publicAddressOf } from '../http/public-address.ts'
import { STATUS, type Headers } from '../http/respond.ts'
import { NotFound } from '../lib/errors.ts'
import { address } from './address.ts'
import { lastLook, LOOKED_COOKIE, rememberLook } from './looked.ts'
import { leavingOut } from './node-pattern.ts'
import type { Page } from './page.ts'
import { causeNotFound, errorPage, reportNotFound } from './pages/errors.ts'
import { PREFERENCES_COOKIE, readPreferences } from './preferences.ts'
import { readerOf } from './reader.ts'
import { respondPage } from './respond.ts'
import type { Reader, Visit } from './visit.ts'

/** The reader of pages that need no sign-in. */
const NOBODY: Reader = {
  name: null,
  signedIn: false,
  restrictionNote: null,
  restrictions: null,
  rowPolicy: null,
  admin: false,
  operator: false,
}

export function visitOf(call: Call, reader: Reader = NOBODY): Visit {
  const now = Date.now()
  return {
    url: presentAddress(publicAddressOf(call)),
    names: call.req.param(),
    database: call.var.databases.nearest(),
    history: visibleHistory(call, reader.restrictions),
    now,
    lastLook: lastLook(getCookie(call, LOOKED_COOKIE) ?? '', now),
    reader,
    preferences: readPreferences(getCookie(call, PREFERENCES_COOKIE) ?? ''),
    settings: call.var.settings,
  }
}

/** An address of an earlier version, which left out nodes by a parameter of their own. */
function presentAddress(url: URL): URL {
  const excluded = url.searchParams.get('exclude')
  if (excluded === null) return url
  url.searchParams.delete('exclude')
  const nodes = [url.searchParams.get('nodes'), excluded && leavingOut(excluded)]
  url.searchParams.set('nodes', nodes.filter(Boolean).join(', '))
  return url
}

/** Responds with a page, or with an error page. */
export const showPage = (
  call: Call,
  visit: Visit,
  make: () => Promise<Page> | Page,
): Promise<Response> =>
  // Errors thrown synchronously get an error page too.
  respondPage(
    visit,
    { method: call.req.method, trace: call.var.trace, headers: lookOf(call, visit) },
    (async () => make())(),
    (error) =>
      error instanceof NotFound && error.kind === 'report'
        ? reportNotFound(error, call.env, visit, call.var.history)
        : error instanceof NotFound && error.kind === 'cause'
          ? causeNotFound(error)
          : errorPage(error, requestIdOf(call)),
  )

/** Opening Fleet is a look at it; what its script reads is none. */
const lookOf = (call: Call, { url, now }: Visit): Headers =>
  url.pathname === '/console' && (call.req.header('sec-fetch-mode') ?? 'navigate') === 'navigate'
    ? rememberLook(getCookie(call, LOOKED_COOKIE) ?? '', url, now)
    : {}

const requestIdOf = (call: Call): string =>
  call.req.header('cf-ray') ?? crypto.randomUUID().slice(0, 8)

const acceptsPages = (call: Call): boolean =>
  call.req.header('accept')?.includes('text/html') === true

/** A handler for readers. Browsers without one are redirected to the sign-in; other clients are refused. */
export const forReaders =
  (answer: (call: Call, visit: Visit) => Promise<Response> | Response): Handler =>
  async (call) => {
    const reader = await readerOf(call)
    if (reader !== null) return answer(call, visitOf(call, reader))
    const { pathname, search } = new URL(call.req.url)
    if (call.req.method === 'GET' && acceptsPages(call)) {
      return call.redirect(
        address('/console/sign-in', { back: pathname + search }),
        STATUS['see other'],
      )
    }
    throw unauthenticated(circumstancesOf(call.req.raw, rulesFor(call.var.settings)))
  }

/** A handler whose errors are pages for browsers; other clients get the error of the API. */
export const withErrorPage =
  (handler: Handler): Handler =>
  async (call) => {
    try {
      return await handler(call)
    } catch (error) {
      if (!acceptsPages(call)) throw error
      return showPage(call, visitOf(call), () => {
        throw error
      })
    }
  }
