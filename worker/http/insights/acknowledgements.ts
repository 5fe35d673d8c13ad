/** Acknowledges causes. */

import { parseAge } from '../../insight/scope.ts'
import { NotFound, QueryError } from '../../lib/errors.ts'
import { parseTimestamp } from '../../lib/time.ts'
import { ACKNOWLEDGEMENT_RULES, LONGEST_ACKNOWLEDGEMENT_MS } from '../../schema/acknowledgement.ts'
import { deleteAcknowledgement, saveAcknowledgement } from '../../store/acknowledgements.ts'
import type { Database } from '../../store/database.ts'
import type { Call, Handler } from '../context.ts'
import { readJsonObject, textsIn } from '../json-body.ts'
import { emptyResponse } from '../respond.ts'

const { longestNote, longestDays } = ACKNOWLEDGEMENT_RULES

/** Room for the longest note with every character escaped. */
const MOST_BYTES = 10_000
const BODY = {
  what: 'an acknowledgement',
  most: MOST_BYTES,
  example: { note: 'OPS-7, Ann', until: '4h' },
}

/** Acknowledges the cause in the path by a body `{"note": …, "until": …}`. @throws QueryError, NotFound */
export const putAcknowledgement: Handler = async (call) => {
  const body = textsIn(await readJsonObject(call.req.raw, BODY), ['note', 'until'], BODY.example)
  const author = call.var.principal.name
  await acknowledge(call.var.databases.primary(), { cause: causeIn(call), author, ...body })
  return emptyResponse('no content')
}

/** @throws NotFound where the cause is not acknowledged */
export const removeAcknowledgement: Handler = async (call) => {
  await withdraw(call.var.databases.primary(), causeIn(call))
  return emptyResponse('no content')
}

const causeIn = (call: Call): string => call.req.param('cause') ?? ''

/**
 * Acknowledges a cause, in place of an earlier acknowledgement.
 *
 * @throws QueryError for a note or a time that can't be, NotFound without such a cause
 */
export async function acknowledge(
  database: Database,
  given: {
    readonly cause: string
    readonly author: string
    readonly note: string
    readonly until: string
  },
): Promise<void> {
  const now = Date.now()
  const note = given.note.trim()
  if (note === '' || note.length > longestNote.value)
    throw new QueryError(
      `An acknowledgement needs a note of at most ${longestNote.value} characters: who works on it, or a ticket.`,
    )
  const until = endOf(given.until, now)
  const { cause, author } = given
  const isKnown = await saveAcknowledgement(database, { cause, note, author, until }, now)
  if (!isKnown) throw new NotFound('cause', cause)
}

/** @throws NotFound where the cause is not acknowledged */
export async function withdraw(database: Database, cause: string): Promise<void> {
  if (!(await deleteAcknowledgement(database, cause)))
    throw new NotFound('acknowledgement of cause', cause)
}

function endOf(text: string, now: number): number {
  const age = parseAge(text)
  const until = age === null ? parseTimestamp(text) : now + age
  if (until !== null && until > now && until <= now + LONGEST_ACKNOWLEDGEMENT_MS) return until
  throw new QueryError(
    `'until' takes a time, or how long from now as in '4h' or '7d', of at most ${longestDays.value} days; not "${text}".`,
  )
}
