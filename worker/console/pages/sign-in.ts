/** The sign-in page: readers paste a token with the scope read and get a session cookie. */

import type { Status } from '../../http/respond.ts'
import { html, NONE } from '../html.ts'
import type { Page } from '../page.ts'

/** Why sign-in failed or is unavailable; null if neither. */
export type SignInProblem = 'refused' | 'no-scope' | 'no-key' | 'insecure' | null

const SENTENCES: Readonly<Record<Exclude<SignInProblem, null>, string>> = {
  refused: 'Token not accepted. It may have expired, or a character may be missing.',
  'no-scope': 'This token is valid, but may not read. Paste one with the scope read.',
  'no-key':
    'Sign-in is not set up: the operator must set the secret CONSOLE_KEY to about 40 random characters (openssl rand -base64 30).',
  insecure:
    'Sign-in needs HTTPS: over plain HTTP anyone on the network could read the token. ' +
    "Use the service's https address. If a proxy ends TLS, its operator sets PUBLIC_URL to the address that people open.",
}

const STATUS_OF: Readonly<Record<Exclude<SignInProblem, null>, Status>> = {
  refused: 'unauthenticated',
  'no-scope': 'forbidden',
  'no-key': 'ok',
  insecure: 'ok',
}

export const signInPage = (back: string, problem: SignInProblem): Page => ({
  title: 'Sign in',
  layout: 'sign-in',
  status: problem === null ? 'ok' : STATUS_OF[problem],
  body: html`${problem === null ? NONE : html`<div class="note failed" role="alert"><p>${SENTENCES[problem]}</p></div>`}
    <section class="card">
      <form class="form" method="post" action="/console/sign-in">
        <div>
          <h1>Sign in</h1>
          <p class="help">See what your nodes did, and what broke.</p>
        </div>
        <div class="field">
          <label for="token">Access token</label>
          <input
            id="token"
            type="password"
            name="token"
            required
            autofocus
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
      <code>npm run token -- --name you --scope read</code>.
    </p>`,
})
