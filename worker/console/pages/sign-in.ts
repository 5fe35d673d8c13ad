/** Sign-in: a read token is pasted once, and a cookie of the same scope stands for it from then on. */

import { html, NONE } from '../html.ts'
import type { Page } from '../page.ts'

/** Why a sign-in can't be had, or was not. */
export type SignInProblem = 'refused' | 'no-key' | 'insecure' | null

const SENTENCES: Readonly<Record<Exclude<SignInProblem, null>, string>> = {
  refused: 'That token gives no access here. It may have expired, or miss a character.',
  'no-key':
    'Signing in is not set up: the operator sets the secret CONSOLE_KEY to some 40 random characters (openssl rand -base64 30).',
  insecure: 'Signing in needs HTTPS: over plain HTTP anyone on the way could take the token.',
}

export const signInPage = (back: string, problem: SignInProblem): Page => ({
  title: 'Sign in',
  status: problem === 'refused' ? 'unauthenticated' : 'ok',
  body: html`<h1>Sign in</h1>
    <p>
      With a token that may read. <code>npm run token -- --name you --scope read</code> makes one,
      and whoever runs this service has to add it.
    </p>
    ${problem === null ? NONE : html`<div class="note failed" role="alert"><p>${SENTENCES[problem]}</p></div>`}
    <form method="post" action="/console/sign-in" class="row">
      <label for="token">Token</label>
      <input
        id="token"
        type="password"
        name="token"
        required
        autocomplete="current-password"
        spellcheck="false"
      /><input type="hidden" name="back" value="${back}" /><button class="primary">Sign in</button>
    </form>`,
})
