/** Refused commands go to the log and to the database with their reason: most senders never show an answer to anybody. */

import { CommandError, Denied, Refused, Unavailable } from '../../lib/errors.ts'
import { log } from '../../lib/log.ts'
import { recordRefusal } from '../../store/refusals.ts'
import type { Call } from '../context.ts'
import { isFailure } from '../respond.ts'

/** Characters of a reason, and of a name that nobody has checked. */
const LONGEST_REASON = 500

/**
 * Notes a failure with the node that the command was about, as far as that is known, and with its sender. A command that
 * came too early or met a busy database is only logged: noting it would be work for the database that is spared it.
 */
export async function noteRefusal(
  call: Call,
  certname: string | null,
  error: unknown,
): Promise<void> {
  if (!isFailure(error)) return
  const sender = call.var.principal.name
  const reason = error.message.slice(0, LONGEST_REASON)
  log('warn', { message: 'command refused', certname, sender, reason })
  if (!(error instanceof CommandError || error instanceof Denied || error instanceof Refused))
    return
  const refusal = { sender, reason, certname: (certname ?? '').slice(0, LONGEST_REASON) }
  try {
    await recordRefusal(call.var.databases.primary(), refusal, Date.now())
  } catch (failure) {
    // The sender is told of its mistake all the same.
    if (!(failure instanceof Unavailable)) throw failure
  }
}
