/** Retention: what is too old goes, in small steps, and what a run leaves undone the next goes on with. */

import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { expireNodes, purgeNodes } from './expire-nodes.ts'
import { runSweep } from './retention-runner.ts'
import { sweepsOf, type NamedSweep } from './retention-rules.ts'

/** PuppetDB's names of what its cleanup does, as far as there is something to do here; in this order. */
export const RETENTION_STEPS = [
  'expire_nodes',
  'purge_nodes',
  'purge_reports',
  'purge_resource_events',
  'other',
] as const
export type RetentionStep = (typeof RETENTION_STEPS)[number]

/** What one rule did. */
export interface Retained {
  readonly step: RetentionStep
  readonly rule: string
  /** Nodes that expired, or are gone. */
  readonly nodes?: number
  /** Reports that are gone, or trimmed. */
  readonly reports?: number
  /** As D1 bills them. */
  readonly rowsWritten: number
  /** False where the rest is left for the next run. */
  readonly complete: boolean
}

/** A run ends after this long, or so many statements: far below what a cron trigger may take (15 minutes, 1,000 queries). */
const LONGEST_RUN_MS = 20_000
const MOST_STATEMENTS = 600

export interface RetentionOptions {
  /** Which steps; all of them where not said. */
  readonly steps?: readonly RetentionStep[]
  /** How many nodes `purge_nodes` may delete. */
  readonly mostNodes?: number
}

/**
 * Does what the settings say, as of `now` in ms. Each step is a transaction of its own and may be
 * interrupted anywhere; `alone` (lease.ts) keeps runs apart.
 *
 * @throws Unavailable where the database can't take it now; what was done stays done
 */
export async function runRetention(
  database: Database,
  settings: Settings,
  now: number,
  { steps = RETENTION_STEPS, mostNodes = Infinity }: RetentionOptions = {},
): Promise<Retained[]> {
  const until = Date.now() + LONGEST_RUN_MS
  const before = database.usage.statements
  const mayGoOn = (): boolean =>
    Date.now() < until && database.usage.statements - before < MOST_STATEMENTS
  const done: Retained[] = []
  const note = async (
    step: RetentionStep,
    rule: string,
    work: () => Promise<Omit<Retained, 'step' | 'rule' | 'rowsWritten'>>,
  ) => {
    if (!steps.includes(step)) return
    const written = database.usage.rowsWritten
    const outcome = await work()
    done.push({ step, rule, ...outcome, rowsWritten: database.usage.rowsWritten - written })
  }

  const { NODE_TTL, NODE_PURGE_TTL } = settings
  if (NODE_TTL > 0) {
    await note('expire_nodes', 'silent nodes', () => expireNodes(database, now, NODE_TTL, mayGoOn))
  }
  if (NODE_PURGE_TTL > 0) {
    await note('purge_nodes', 'inactive nodes', () =>
      purgeNodes(database, now, NODE_PURGE_TTL, mayGoOn, mostNodes),
    )
  }
  const sweeps = sweepsOf(settings)
  await forgetOtherSweeps(database, sweeps)
  for (const sweep of sweeps) {
    await note(sweep.step, sweep.rule, () => runSweep(database, sweep, now, mayGoOn))
  }
  return done
}

/** What rules that are no more have come to: should they come back, they begin anew. ?1 names of those there are. */
const FORGET = (['retention_progress', 'protected_reports'] as const).map(
  (table) =>
    `DELETE FROM ${table} WHERE rule IN (SELECT s.rule FROM retention_progress s WHERE s.rule NOT IN (SELECT value FROM json_each(?1)))`,
)

async function forgetOtherSweeps(database: Database, sweeps: readonly NamedSweep[]): Promise<void> {
  const names = JSON.stringify(sweeps.map(({ name }) => name))
  // The spared ones first: they are found by the rules in `retention_progress`.
  await database.batch(FORGET.toReversed().map((sql) => ({ sql, params: [names] })))
}
