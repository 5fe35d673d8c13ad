/** Carries out entries of an archive: many commands in one batch, those that are stored already skipped by one query. */

import type { Principal } from '../../access/principal.ts'
import { commandAt, type CommandVersions } from '../../archive/format.ts'
import { changeNodes, countIgnored } from '../../ingest/write-node.ts'
import { countStatements } from '../../ingest/write-report.ts'
import { CommandError } from '../../lib/errors.ts'
import { readCommand } from '../../report/command.ts'
import type { Settings } from '../../schema/settings.ts'
import type { Database } from '../../store/database.ts'
import { storedAmong } from '../../store/existence.ts'
import { isShortOf } from '../../store/failures.ts'
import { admitAll } from '../commands/admit.ts'
import { storeWork, workOf, type ReportWork, type Work } from '../commands/carry-out.ts'
import { refusingDepth } from '../commands/nesting.ts'
import { whenThereIsRoom } from '../in-flight.ts'

/** An entry of an archive. */
export interface ReadEntry {
  /** From 0, without the metadata. */
  readonly number: number
  readonly path: string
  /** The text of a command; null for another entry, and for one that is too large. */
  readonly text: string | null
  /** Why it is refused without being read; null for none. */
  readonly problem: string | null
}

/** What became of an entry. */
export type EntryOutcome =
  | { readonly kind: 'stored' | 'duplicate' | 'other' | 'ignored' }
  | { readonly kind: 'refused'; readonly reason: string }

export interface Importing {
  readonly database: Database
  readonly principal: Principal
  readonly settings: Settings
  /** In ms. */
  readonly received: number
  readonly versions: CommandVersions
}

/** An entry as it was read: what it comes to, or what became of it without the database. */
type Item = { readonly work: Work } | { readonly outcome: EntryOutcome }

/**
 * Carries out entries in their order, as many as the request's queries allow; at least one where `isFirst`.
 *
 * @returns the outcomes of those that were carried out
 * @throws Unavailable, and then the outcomes of none are known
 */
export function carryOutEntries(
  entries: readonly ReadEntry[],
  importing: Importing,
  isFirst: boolean,
): Promise<EntryOutcome[]> {
  const bytes = entries.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
  const { MAX_COMMAND_BYTES } = importing.settings
  return whenThereIsRoom(bytes, MAX_COMMAND_BYTES, async () => {
    const items = await Promise.all(entries.map((entry) => readEntry(entry, importing)))
    const remaining = await withoutStored(items, importing.database)
    const outcomes: EntryOutcome[] = []
    while (outcomes.length < remaining.length) {
      const rest = remaining.slice(outcomes.length)
      const fitting = countFitting(rest, importing)
      const count = fitting === 0 && isFirst && outcomes.length === 0 ? 1 : fitting
      if (count === 0) break
      outcomes.push(...(await carryOutItems(rest.slice(0, count), importing)))
    }
    return outcomes
  })
}

async function readEntry(
  { path, text, problem }: ReadEntry,
  { received, principal, settings, versions }: Importing,
): Promise<Item> {
  if (problem !== null) return { outcome: { kind: 'refused', reason: problem } }
  if (text === null) return { outcome: { kind: 'ignored' } }
  const { command: name, certname } = commandAt(path)!
  const parameters: [string, string][] = [
    ['command', name],
    ['certname', certname],
    ['version', String(versions[name])],
  ]
  try {
    const sender = { principal, settings, admit: admitAll }
    const command = () => readCommand(parameters, text)
    return { work: await refusingDepth(() => workOf(command(), received, sender)) }
  } catch (error) {
    return { outcome: refusal(error) }
  }
}

function refusal(error: unknown): EntryOutcome {
  if (error instanceof CommandError) return { kind: 'refused', reason: error.message }
  throw error
}

const DUPLICATE: Item = { outcome: { kind: 'duplicate' } }

/** The items; reports that are stored are replaced by their outcome. */
async function withoutStored(items: readonly Item[], database: Database): Promise<Item[]> {
  const hashes = reportsIn(items).map(({ prepared }) => prepared.report.hash)
  const stored = hashes.length === 0 ? new Set() : await storedAmong(database, hashes)
  return items.map((item) => {
    const report = reportOf(item)
    return report !== null && stored.has(report.prepared.report.hash) ? DUPLICATE : item
  })
}

const reportOf = (item: Item): ReportWork | null =>
  'work' in item && item.work.kind === 'report' ? item.work.report : null
const reportsIn = (items: readonly Item[]): ReportWork[] =>
  items.flatMap((item) => reportOf(item) ?? [])
const worksIn = (items: readonly Item[]): Work[] =>
  items.flatMap((item) => ('work' in item ? item.work : []))

/** Statements beside the reports' own: of other commands, and of what is counted. */
const OTHER_STATEMENTS = 10

function statementsOf(items: readonly Item[], { database, received }: Importing): number {
  const works = worksIn(items)
  if (works.length === 0) return 0
  const prepared = reportsIn(items).map((report) => report.prepared)
  const others = works.length - prepared.length
  return countStatements(database, prepared, received) + others + OTHER_STATEMENTS
}

/** How many of the items, from the first on, the queries that are left allow. */
function countFitting(items: readonly Item[], importing: Importing): number {
  const { MAX_QUERIES } = importing.settings
  if (MAX_QUERIES === 0) return items.length
  const left = Math.max(0, MAX_QUERIES - importing.database.usage.statements)
  let count = items.length
  for (;;) {
    const needed = statementsOf(items.slice(0, count), importing)
    if (needed <= left) return count
    // Fewer each time, as more is needed than is left.
    count = Math.floor((count * left) / needed)
  }
}

async function carryOutItems(
  items: readonly Item[],
  { database, received }: Importing,
): Promise<EntryOutcome[]> {
  const reports = reportsIn(items)
  const ofReports = reports.length === 0 ? [] : await storeEach(reports, database, received)
  const works = worksIn(items)
  const changes = works.flatMap((work) => (work.kind === 'node' ? work.change : []))
  if (changes.length > 0) await changeNodes(database, changes, received)
  const ignored = works.flatMap((work) => (work.kind === 'ignored' ? work.name : []))
  if (ignored.length > 0) await countIgnored(database, ignored)
  let next = 0
  return items.map((item): EntryOutcome => {
    if ('outcome' in item) return item.outcome
    return item.work.kind === 'report' ? ofReports[next++]! : { kind: 'other' }
  })
}

/** Stores reports in one batch; in smaller ones where D1 can't store one of them, or has no time for all. */
async function storeEach(
  reports: readonly ReportWork[],
  database: Database,
  received: number,
): Promise<EntryOutcome[]> {
  try {
    const outcomes = await storeWork(database, reports, received)
    return outcomes.map(({ duplicate }) => ({ kind: duplicate ? 'duplicate' : 'stored' }))
  } catch (error) {
    if (reports.length === 1) return [refusal(error)]
    if (!(error instanceof CommandError || isShortOf(error, 'too much work'))) throw error
    const half = Math.ceil(reports.length / 2)
    return [
      ...(await storeEach(reports.slice(0, half), database, received)),
      ...(await storeEach(reports.slice(half), database, received)),
    ]
  }
}
