/** Sign-in with an OpenID Connect issuer: the two requests of a browser, before and after it was there. */

import { generateCookie, getCookie } from 'hono/cookie'
import {
  authorizationUrl,
  newSecrets,
  signedInPerson,
  type IssuerCall,
  type SignInSecrets,
} from '../access/open-id.ts'
import type { Call } from '../http/context.ts'
import { rulesFor } from '../http/guard.ts'
import { publicAddressOf } from '../http/public-address.ts'
import { STATUS } from '../http/respond.ts'
import { Denied, Unavailable } from '../lib/errors.ts'
import { MINUTE } from '../lib/time.ts'
import { ISSUER_PATH, type SignInProblem } from './pages/sign-in.ts'
import { html } from './html.ts'
import { beginPersonSession, isSignature, signatureOf } from './session.ts'
import { showPage } from './show-page.ts'
import { respondSignIn, visitWithoutParameters } from './show-sign-in.ts'
import { obstacleOf, returnPath, sessionHeader } from './sign-in.ts'

/** How long people may take at the issuer. */
const LONGEST_SIGN_IN_MS = 10 * MINUTE
/** Characters of an address that a cookie keeps until the browser is back. */
const LONGEST_BACK = 1500

/** What the browser keeps while it is at the issuer. */
interface Began extends SignInSecrets {
  readonly back: string
  /** In ms since 1970. */
  readonly until: number
}

/** Sends the browser to the issuer. */
export async function startAtIssuer(c: Call): Promise<Response> {
  const wanted = returnPath(c.req.query('back'))
  const back = wanted.length > LONGEST_BACK ? '/console' : wanted
  const issuer = issuerCallOf(c)
  const obstacle = issuer === null ? NO_ISSUER : obstacleOf(c)
  if (issuer === null || obstacle !== null) return respondSignIn(c, back, obstacle)
  const secrets = newSecrets()
  return orProblem(c, back, async () => {
    const url = await authorizationUrl(issuer, secrets)
    c.header(
      'set-cookie',
      beganHeader(c, { ...secrets, back, until: Date.now() + LONGEST_SIGN_IN_MS }),
    )
    return c.redirect(url, STATUS['see other'])
  })
}

/** Begins a session when the issuer has sent the browser back. */
export async function returnFromIssuer(c: Call): Promise<Response> {
  const issuer = issuerCallOf(c)
  const obstacle = issuer === null ? NO_ISSUER : obstacleOf(c)
  if (issuer === null || obstacle !== null) return respondSignIn(c, '/console', obstacle)
  const began = beganOf(c)
  if (began === null) return respondSignIn(c, '/console', NOT_BEGUN)
  const response = await orProblem(c, began.back, async () => {
    const person = await signedInPerson(issuer, began, new URL(c.req.url).searchParams)
    const now = Date.now()
    const { settings } = c.var
    const session = beginPersonSession(settings.CONSOLE_KEY, rulesFor(settings), person, now)
    if (!session.principal.scopes.has('read'))
      throw new Denied('forbidden', `PEOPLE gives '${person.name}' no scope that may read.`)
    const page = await signedInPage(c, began.back)
    page.headers.append('set-cookie', sessionHeader(c, session, now))
    return page
  })
  // Each sign-in is for once.
  response.headers.append('set-cookie', beganHeader(c, null))
  return response
}

/**
 * A page that leads on. A redirect would not do: browsers send no cookie with SameSite=Strict where another site began the
 * navigation.
 */
async function signedInPage(c: Call, back: string): Promise<Response> {
  const page = await showPage(c, visitWithoutParameters(c), () => ({
    title: 'Signed in',
    layout: 'sign-in',
    body: html`<p>You are signed in. <a href="${back}">Continue</a></p>`,
  }))
  page.headers.set('refresh', `0; url=${back}`)
  return page
}

const NO_ISSUER: SignInProblem = {
  sentence:
    'Sign-in with OpenID Connect is not set up: the operator sets OIDC_ISSUER, OIDC_CLIENT_ID and PEOPLE.',
  status: 'not found',
}
const NOT_BEGUN: SignInProblem = {
  sentence: `No sign-in began in this browser in the last ${LONGEST_SIGN_IN_MS / MINUTE} minutes, or it was used already. Sign in again.`,
  status: 'forbidden',
}

/** The work's response, or the sign-in page with what is wrong. */
async function orProblem(c: Call, back: string, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Denied || error instanceof Unavailable)) throw error
    const status = error instanceof Denied ? 'forbidden' : 'unavailable'
    // Anyone can begin a sign-in: of these lines, too, one a minute is written.
    c.get('trace').refusal = { reason: error.message, unauthenticated: true }
    return respondSignIn(c, back, { sentence: error.message, status })
  }
}

function issuerCallOf(c: Call): IssuerCall | null {
  const { issuer } = rulesFor(c.var.settings)
  const callback = `${publicAddressOf(c).origin}${ISSUER_PATH}/callback`
  return issuer && { issuer, callback, fetch: c.var.issuerFetch }
}

/** Browsers send a cookie with the first name over HTTPS only. */
const beganCookie = (url: URL): string =>
  url.protocol === 'https:' ? '__Host-console_sign_in' : 'console_sign_in'

/** The header's value that keeps a sign-in, or deletes it. */
function beganHeader(c: Call, began: Began | null): string {
  const url = publicAddressOf(c)
  const text = began === null ? '' : Buffer.from(JSON.stringify(began)).toString('base64url')
  const value = began === null ? '' : `${text}.${signedAs(c, text)}`
  return generateCookie(beganCookie(url), value, {
    path: '/',
    httpOnly: true,
    // The issuer's site begins the navigation back.
    sameSite: 'Lax',
    secure: url.protocol === 'https:',
    maxAge: began === null ? 0 : LONGEST_SIGN_IN_MS / 1000,
  })
}

/** The sign-in that this browser began; null without one. */
function beganOf(c: Call): Began | null {
  const cookie = getCookie(c, beganCookie(publicAddressOf(c))) ?? ''
  const [text = '', signature = ''] = cookie.split('.')
  if (!isSignature(signedAs(c, text), signature)) return null
  const began = JSON.parse(Buffer.from(text, 'base64url').toString()) as Began
  return Date.now() < began.until ? began : null
}

const signedAs = (c: Call, text: string): string =>
  signatureOf(c.var.settings.CONSOLE_KEY, 'sign-in', text)
