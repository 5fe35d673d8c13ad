/** The corridor of writing: request → command → report → one batch. The response is 200 only after the commit. */

import { ANY_ENVIRONMENT, violatedRestriction, type Submission } from '../../access/restrictions.ts'
import { named } from '../../access/decide.ts'
import type { Principal } from '../../access/principal.ts'
import { Denied, TooMany } from '../../lib/errors.ts'
import { unreachable } from '../../lib/invariant.ts'
import { log } from '../../lib/log.ts'
import { readCommand, type Command } from '../../report/command.ts'
import { decodeReport } from '../../report/decode.ts'
import { decodeDeactivation, decodeNodeColumns } from '../../report/node.ts'
import type { Report } from '../../report/report.ts'
import { redacted } from '../../report/sensitive.ts'
import type { Settings } from '../../schema/settings.ts'
import type { Database } from '../../store/database.ts'
import { countIgnored, deactivateNode, noteNode } from '../../ingest/write-node.ts'
import { storeReport } from '../../ingest/write-report.ts'
import { countLeftOut } from '../../store/refusals.ts'
import { requireFewValues, requireJson, withCommandBytes } from '../body.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'
import { refusingDepth } from './nesting.ts'
import { noteRefusedRequest, writePendingRefusals } from './refusal-log.ts'

/** The result of a command. */
export interface CommandResult {
  readonly duplicate?: boolean
  readonly warnings: readonly string[]
}

/** The limiter's period (wrangler.toml). Agents sleep this long, and give up a request after 30 s. */
const PERIOD_SECONDS = 10

/** Admits a command about a node. @throws TooMany if the operator's limit is reached */
type Admit = (certname: string) => Promise<void>

/** Admits as many commands about a node as the limiter allows. */
const admitBy =
  (limiter: RateLimit | undefined): Admit =>
  async (certname) => {
    if (limiter === undefined || (await hasRoom(limiter, certname))) return
    throw new TooMany(
      `Too many commands for the node '${certname}' within ten seconds. Nothing was stored; try again later.`,
      PERIOD_SECONDS,
    )
  }

/** If the limiter fails, every command is admitted: a refused report would be lost. */
async function hasRoom(limiter: RateLimit, certname: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key: certname })).success
  } catch (error) {
    log('warn', { rate_limit: String(error), certname })
    return true
  }
}

/** For administrators, who send an archive in one request, or many reports of one node at once. */
export const admitAll: Admit = () => Promise.resolve()

/** No limit slows down an administrator with credentials. */
export const admitFrom = (principal: Principal, limiter: RateLimit | undefined): Admit =>
  principal.kind !== 'anyone' && principal.scopes.has('admin') ? admitAll : admitBy(limiter)

/** Carries out one command. Failures are logged and thrown, and then nothing has been stored. */
export async function submitCommand(call: Call): Promise<Response> {
  try {
    return await refusingDepth(() => submitOne(call))
  } catch (error) {
    await noteRefusedRequest(call, error)
    throw error
  }
}

async function submitOne(call: Call): Promise<Response> {
  const received = Date.now()
  const { settings, principal, databases, submissions } = call.var
  const request = call.req.raw
  requireJson(request)
  return withCommandBytes(request, settings.MAX_COMMAND_BYTES, async (bytes) => {
    requireFewValues(bytes)
    const text = new TextDecoder().decode(bytes)
    const command = readCommand(new URL(request.url).searchParams, text)
    const database = databases.primary()
    const outcome = await carryOut(command, received, database, {
      principal,
      settings,
      admit: admitFrom(principal, submissions),
    })
    await writePendingRefusals(database)
    const answer = {
      uuid: crypto.randomUUID(),
      ...(command.waits ? { processed: true, timed_out: false } : {}),
      ...(outcome.duplicate ? { duplicate: true } : {}),
      ...(outcome.warnings.length > 0 ? { warnings: outcome.warnings } : {}),
    }
    return objectResponse(answer, 'ok', costHeaders(call, database))
  })
}

/** Logs and counts what of a report was not stored: the sender gets the warnings too, but may not look. */
async function noteLosses(
  database: Database,
  { certname, warnings }: Report,
  leftOut: number,
): Promise<void> {
  if (warnings.length > 0) log('warn', { certname, warnings, left_out: leftOut })
  if (leftOut > 0) await countLeftOut(database, leftOut)
}

/** How a refusal names what violates a restriction. */
const SUBJECTS = {
  certnames: ({ certname }: Submission) => `node '${certname}'`,
  environments: ({ environment }: Submission) =>
    typeof environment !== 'string' ? 'no environment' : `environment '${environment}'`,
}

/** @throws Denied where the principal's restrictions don't allow the submission */
function requireWithin(principal: Principal, submission: Submission): void {
  const violated = violatedRestriction(principal.restrictions, submission)
  if (violated === null) return
  const sender = named(principal)
  throw new Denied(
    'forbidden',
    `${sender.charAt(0).toUpperCase()}${sender.slice(1)} may not submit reports for ${SUBJECTS[violated](submission)}.`,
  )
}

/** The sender of a command, and the rules that apply to it. */
interface Sender {
  readonly principal: Principal
  readonly settings: Settings
  readonly admit: Admit
}

/** Carries out a command. @param received in ms */
export async function carryOut(
  command: Command,
  received: number,
  database: Database,
  { principal, settings: { REDACT, CATALOG_ENVIRONMENT }, admit }: Sender,
): Promise<CommandResult> {
  // Counts for the payload's node. The address may name another one, whose limit it would use up.
  const accept = async (submission: Submission): Promise<void> => {
    requireWithin(principal, submission)
    await admit(submission.certname)
  }
  const { fate, name, payload, version, warnings } = command
  switch (fate) {
    case 'store': {
      const decoded = decodeReport(payload, version, received)
      await accept(decoded.report)
      const report = redacted(decoded.report, REDACT)
      const { duplicate } = await storeReport(
        database,
        report,
        received,
        CATALOG_ENVIRONMENT === 'reports',
      )
      if (!duplicate) await noteLosses(database, report, decoded.leftOut)
      return { duplicate, warnings: [...warnings, ...report.warnings] }
    }
    case 'deactivate': {
      const leaving = decodeDeactivation(payload, received)
      await accept({ ...leaving, environment: null })
      await deactivateNode(database, leaving)
      return { warnings }
    }
    case 'node columns': {
      const which = name === 'replace catalog' ? 'catalog' : 'facts'
      const columns = decodeNodeColumns(payload, received)
      await accept(columns)
      await noteNode(database, which, columns, received)
      return { warnings }
    }
    case 'not kept':
      // Many of these commands don't name their environment, and nothing of it is stored.
      await accept({ certname: command.certname, environment: ANY_ENVIRONMENT })
      await countIgnored(database, name)
      return { warnings }
    default:
      return unreachable(fate)
  }
}
