/** Shows the sign-in page. */

import type { Call } from '../http/context.ts'
import { rulesFor } from '../http/guard.ts'
import { signInPage, type SignInProblem } from './pages/sign-in.ts'
import { showPage, visitOf } from './show-page.ts'
import type { Visit } from './visit.ts'

/** @param back the page to return to */
export const respondSignIn = (
  c: Call,
  back: string,
  problem: SignInProblem | null,
): Promise<Response> =>
  showPage(c, visitWithoutParameters(c), () =>
    signInPage(back, problem, rulesFor(c.var.settings).issuer?.url ?? null),
  )

/** Titles of pages show the parameters of their address, which an issuer fills with secrets. */
export function visitWithoutParameters(c: Call): Visit {
  const visit = visitOf(c)
  return { ...visit, url: new URL(visit.url.pathname, visit.url) }
}
