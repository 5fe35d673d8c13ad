/** Refused commands go to the log and to the database with their reason: most senders never show an answer to anybody. */

import { TooMany, Unavailable } from '../../lib/errors.ts'
import { log } from '../../lib/log.ts'
import type { Database } from '../../store/database.ts'
import { recordRefusals } from '../../store/refusals.ts'
import type { Call } from '../context.ts'
import { failureMessage } from '../respond.ts'
import { isUnauthenticated, UNAUTHENTICATED } from '../unauthenticated-lines.ts'

/** Characters of a reason, and of a name that wasn't checked. */
const LONGEST_TEXT = 500

/** Notes a request that was refused before its handler saw it, as `noteRefusal`. */
export const noteRefusedRequest = (call: Call, error: unknown): Promise<void> =>
  noteRefusal(call, call.req.query('certname') ?? call.req.param('certname') ?? null, error)

/**
 * Notes a failure with the node that the command is about, as far as that is known, and with its sender.
 *
 * Where the sender is unknown, where a request came too early, or where the database is busy, refusals are written
 * together, at most once a minute: they must not cost what the refusal spares.
 */
export async function noteRefusal(
  call: Call,
  certname: string | null,
  error: unknown,
): Promise<void> {
  const database = call.var.databases.primary()
  const sender = call.var.principal?.name ?? ''
  const reason = failureMessage(error).slice(0, LONGEST_TEXT)
  const line = { message: 'command refused', certname, sender, reason }
  if (isUnauthenticated(error)) UNAUTHENTICATED.commands.write('warn', line)
  else log('warn', line)
  const refusal = { sender, reason, certname: (certname ?? '').slice(0, LONGEST_TEXT), count: 1 }
  if (!isFrugal(error)) return write(database, [refusal])
  database.memory.refusals.add(refusal)
  if (!(error instanceof Unavailable)) await writePendingRefusals(database)
}

/** Whether a failure is of those that anybody may cause often, or of a database that has no time. */
const isFrugal = (error: unknown): boolean =>
  error instanceof TooMany || error instanceof Unavailable || isUnauthenticated(error)

/** Writes what is pending, if anything is and a minute has passed. Costs nothing otherwise. */
export async function writePendingRefusals(database: Database): Promise<void> {
  const pending = database.memory.refusals.take(Date.now())
  if (pending.length > 0) await write(database, pending)
}

/** The sender learns of its mistake also where the database can't note it; the refusals wait for a better time. */
async function write(
  database: Database,
  refusals: Parameters<typeof recordRefusals>[1],
): Promise<void> {
  try {
    await recordRefusals(database, refusals, Date.now())
  } catch (failure) {
    if (!(failure instanceof Unavailable)) log('error', { error: String(failure) })
    for (const refusal of refusals) database.memory.refusals.add(refusal)
  }
}
