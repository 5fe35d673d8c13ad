/** Refused commands go to the log with their reason: most senders never show an answer to anybody. */

import { log } from '../../lib/log.ts'
import type { Call } from '../context.ts'
import { isFailure } from '../respond.ts'

/** Characters of a reason that are logged. */
const LONGEST_REASON = 500

/** Logs a failure with the node that the command was about, as far as that is known, and with its sender. */
export function logRefusal(call: Call, certname: string | null, error: unknown): void {
  if (!isFailure(error)) return
  log('warn', {
    message: 'command refused',
    certname,
    sender: call.var.principal.name,
    reason: error.message.slice(0, LONGEST_REASON),
  })
}
