/** The sign-in page: readers paste a token with the scope read and get a session cookie. */

import { commandText } from '../../lib/command-text.ts'
import type { Status } from '../../http/respond.ts'
import { address } from '../address.ts'
import { html, NONE, raw, type Html } from '../html.ts'
import type { Page } from '../page.ts'

/** Why sign-in failed or is unavailable. */
export interface SignInProblem {
  readonly sentence: string
  readonly status: Status
}

export const SIGN_IN_PROBLEMS = {
  refused: {
    sentence: 'Token not accepted. It may have expired, or a character may be missing.',
    status: 'unauthenticated',
  },
  noScope: {
    sentence: 'This token is valid, but may not read. Paste one with the scope read.',
    status: 'forbidden',
  },
  noKey: {
    sentence:
      'Sign-in is not set up: the operator must set the secret CONSOLE_KEY to about 40 random characters (openssl rand -base64 30).',
    status: 'ok',
  },
  insecure: {
    sentence:
      'Sign-in needs HTTPS: over plain HTTP anyone on the network could read the token. ' +
      "Use the service's https address. If a proxy ends TLS, its operator sets PUBLIC_URL to the address that people open.",
    status: 'ok',
  },
} as const satisfies Readonly<Record<string, SignInProblem>>

/** Where a sign-in with the issuer begins. */
export const ISSUER_PATH = '/console/sign-in/issuer'

/**
 * @param back the page to return to
 * @param issuer the address of the issuer with which people sign in; null for none
 */
export const signInPage = (
  back: string,
  problem: SignInProblem | null,
  issuer: string | null,
): Page => ({
  title: 'Sign in',
  layout: 'sign-in',
  status: problem === null ? 'ok' : problem.status,
  body: html`${problem === null ? NONE : html`<div class="note failed" role="alert"><p>${problem.sentence}</p></div>`}
    ${issuer === null ? NONE : issuerCard(issuer, back)}
    <section class="card">
      <form class="form" method="post" action="/console/sign-in">
        <div>
          ${issuer === null ? html`<h1>Sign in</h1>` : html`<h2>With a token</h2>`}
          <p class="help">See what your nodes did, and what broke.</p>
        </div>
        <div class="field">
          <label for="token">Access token</label>
          <input
            id="token"
            type="password"
            name="token"
            required
            ${issuer === null ? raw('autofocus') : NONE}
            autocomplete="current-password"
            spellcheck="false"
            aria-describedby="token-help"
            placeholder="Paste a token"
          />
          <p class="help" id="token-help">
            A token with the scope <code>read</code> is enough. It is exchanged for a session cookie
            and not stored.
          </p>
        </div>
        <input type="hidden" name="back" value="${back}" /><button class="primary">Sign in</button>
      </form>
    </section>
    <p class="help">
      No token? The operator of this service makes one with
      <code>${commandText('token', '--name you --scope read')}</code>.
    </p>`,
})

const issuerCard = (issuer: string, back: string): Html =>
  html`<section class="card form">
    <div>
      <h1>Sign in</h1>
      <p class="help">With your account at ${new URL(issuer).host}.</p>
    </div>
    <a class="btn primary" href="${address(ISSUER_PATH, { back })}">Sign in</a>
  </section>`
