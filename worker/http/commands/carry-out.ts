/** Commands → what they store: each alone as it is sent, or many in one batch, as an archive has them. */

import { named } from '../../access/decide.ts'
import type { Principal } from '../../access/principal.ts'
import { ANY_ENVIRONMENT, violatedRestriction, type Submission } from '../../access/restrictions.ts'
import { changeNodes, countIgnored, type NodeChange } from '../../ingest/write-node.ts'
import { prepareReport, storeReports, type PreparedReport } from '../../ingest/write-report.ts'
import { Denied } from '../../lib/errors.ts'
import { unreachable } from '../../lib/invariant.ts'
import { log } from '../../lib/log.ts'
import type { Command, CommandName } from '../../report/command.ts'
import { decodeReport } from '../../report/decode.ts'
import { decodeDeactivation, decodeNodeColumns } from '../../report/node.ts'
import { redacted } from '../../report/sensitive.ts'
import type { Settings } from '../../schema/settings.ts'
import type { Database } from '../../store/database.ts'
import { countLeftOut } from '../../store/refusals.ts'
import type { Admit } from './admit.ts'

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
export interface CommandSender {
  readonly principal: Principal
  readonly settings: Settings
  readonly admit: Admit
}

/** What a command comes to, decoded and accepted. */
export type Work =
  | { readonly kind: 'report'; readonly report: ReportWork }
  | { readonly kind: 'node'; readonly change: NodeChange }
  | { readonly kind: 'ignored'; readonly name: CommandName }

export interface ReportWork {
  readonly prepared: PreparedReport
  /** Events that can't be stored. */
  readonly leftOut: number
}

/**
 * Decodes a command, and accepts it from its sender. Stores nothing.
 *
 * @param received in ms
 * @throws CommandError, Denied, TooMany
 */
export async function workOf(
  { fate, name, payload, version, certname }: Command,
  received: number,
  { principal, settings: { REDACT }, admit }: CommandSender,
): Promise<Work> {
  // Counts for the payload's node. The address may name another one, whose limit it would use up.
  const accept = async (submission: Submission): Promise<void> => {
    requireWithin(principal, submission)
    await admit(submission.certname)
  }
  switch (fate) {
    case 'store': {
      const { report, leftOut } = decodeReport(payload, version, received)
      await accept(report)
      const prepared = prepareReport(redacted(report, REDACT), received)
      return { kind: 'report', report: { prepared, leftOut } }
    }
    case 'deactivate': {
      const deactivation = decodeDeactivation(payload, received)
      await accept({ ...deactivation, environment: null })
      return { kind: 'node', change: { kind: 'deactivation', deactivation } }
    }
    case 'node columns': {
      const columns = decodeNodeColumns(payload, received)
      await accept(columns)
      const kind = name === 'replace catalog' ? 'catalog' : 'facts'
      return { kind: 'node', change: { kind, columns } }
    }
    case 'not kept':
      // Many of these commands don't name their environment, and nothing of it is stored.
      await accept({ certname, environment: ANY_ENVIRONMENT })
      return { kind: 'ignored', name }
    default:
      return unreachable(fate)
  }
}

/** Stores what reports come to in one batch. @returns of each, whether it was already stored */
export async function storeWork(
  database: Database,
  works: readonly ReportWork[],
  received: number,
): Promise<{ duplicate: boolean }[]> {
  const prepared = works.map((work) => work.prepared)
  const outcomes = await storeReports(database, prepared, received)
  await noteLosses(
    database,
    works.filter((_, index) => !outcomes[index]!.duplicate),
  )
  return outcomes
}

/** Logs and counts what of reports was not stored: the sender gets the warnings too, but may not look. */
async function noteLosses(database: Database, works: readonly ReportWork[]): Promise<void> {
  let sum = 0
  for (const { prepared, leftOut } of works) {
    const { certname, warnings } = prepared.report
    if (warnings.length > 0) log('warn', { certname, warnings, left_out: leftOut })
    sum += leftOut
  }
  if (sum > 0) await countLeftOut(database, sum)
}

/** The result of a command. */
export interface CommandResult {
  readonly duplicate?: boolean
  readonly warnings: readonly string[]
}

/** Carries out what one command came to. @param received in ms */
export async function carryOut(
  work: Work,
  received: number,
  database: Database,
): Promise<CommandResult> {
  switch (work.kind) {
    case 'report': {
      const [outcome] = await storeWork(database, [work.report], received)
      return { ...outcome!, warnings: work.report.prepared.report.warnings }
    }
    case 'node':
      await changeNodes(database, [work.change], received)
      return { warnings: [] }
    case 'ignored':
      await countIgnored(database, [work.name])
      return { warnings: [] }
    default:
      return unreachable(work)
  }
}
