/** Acknowledges a cause by a form. */

import type { Call } from '../http/context.ts'
import { acknowledge, withdraw } from '../http/insights/acknowledgements.ts'
import { requireOwnOrigin } from '../http/public-address.ts'
import { Denied, NotFound, QueryError } from '../lib/errors.ts'
import { causeAddress } from './address.ts'
import { NONE } from './html.ts'
import type { Page } from './page.ts'
import { showCause } from './pages/cause.ts'
import { readForm } from './sign-in.ts'
import type { Visit } from './visit.ts'

/**
 * Redirects to the cause's page, which shows errors above the form.
 *
 * @throws Denied for readers who may not acknowledge
 */
export async function changeAcknowledgement(call: Call, visit: Visit): Promise<Page> {
  requireOwnOrigin(call)
  if (!visit.reader.operator)
    throw new Denied('forbidden', 'Acknowledgements need the scope operate without restrictions.')
  const form = await readForm(call)
  const field = (name: string): string => form.get(name) ?? ''
  const cause = visit.names['cause'] ?? ''
  const database = call.var.databases.primary()
  try {
    await (field('do') === 'withdraw'
      ? withdrawOnce(database, cause)
      : acknowledge(database, {
          cause,
          author: visit.reader.name ?? 'anyone',
          note: field('note'),
          until: field('until'),
        }))
    return { title: 'Cause', body: NONE, redirect: causeAddress(cause, {}) }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const problem = { message: error.message, note: field('note') }
    return { ...(await showCause(visit, problem)), status: 'bad request' }
  }
}

/** A button that is pressed twice withdraws what is withdrawn already. */
async function withdrawOnce(...given: Parameters<typeof withdraw>): Promise<void> {
  await withdraw(...given).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error
  })
}
