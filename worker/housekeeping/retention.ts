/** Retention deletes what is too old, in small steps; the next run continues where one has stopped. */

import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { expireNodes, purgeNodes } from './expire-nodes.ts'
import { retentionRules, type RetentionRule } from './retention-rules.ts'
import { applyRule } from './retention-runner.ts'

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
export interface RetentionResult {
  readonly step: RetentionStep
  readonly rule: string
  /** Nodes that expired, or were deleted. */
  readonly nodes?: number
  /** Reports that were deleted, or lost a part. */
  readonly reports?: number
  /** As D1 bills them. */
  readonly rowsWritten: number
  /** False where some of it is left for the next run. */
  readonly complete: boolean
}

/** A run ends after this long, or so many statements: far below what a cron trigger may take (15 minutes, 1,000 queries). */
const LONGEST_RUN_MS = 20_000
const MOST_STATEMENTS = 600

export interface RetentionOptions {
  /** Which steps; all of them by default. */
  readonly steps?: readonly RetentionStep[]
  /** How many nodes `purge_nodes` may delete. */
  readonly mostNodes?: number
}

/**
 * Applies the settings, as of `now` in ms. Each step is a transaction of its own and may be
 * interrupted anywhere; the caller holds the lease of housekeeping.
 *
 * @throws Unavailable where the database can't take it now; what was done stays done
 */
export async function runRetention(
  database: Database,
  settings: Settings,
  now: number,
  { steps = RETENTION_STEPS, mostNodes = Infinity }: RetentionOptions = {},
): Promise<RetentionResult[]> {
  const until = Date.now() + LONGEST_RUN_MS
  const before = database.usage.statements
  const mayContinue = (): boolean =>
    Date.now() < until && database.usage.statements - before < MOST_STATEMENTS
  const done: RetentionResult[] = []
  const note = async (
    step: RetentionStep,
    rule: string,
    work: () => Promise<Omit<RetentionResult, 'step' | 'rule' | 'rowsWritten'>>,
  ) => {
    if (!steps.includes(step)) return
    const written = database.usage.rowsWritten
    const outcome = await work()
    done.push({ step, rule, ...outcome, rowsWritten: database.usage.rowsWritten - written })
  }

  const { NODE_TTL, NODE_PURGE_TTL } = settings
  if (NODE_TTL > 0) {
    await note('expire_nodes', 'silent nodes', () =>
      expireNodes(database, now, NODE_TTL, mayContinue),
    )
  }
  if (NODE_PURGE_TTL > 0) {
    await note('purge_nodes', 'inactive nodes', () =>
      purgeNodes(database, now, NODE_PURGE_TTL, mayContinue, mostNodes),
    )
  }
  const rules = retentionRules(settings)
  await deleteOtherProgress(database, rules)
  for (const rule of rules) {
    await note(rule.step, rule.text, () => applyRule(database, rule, now, mayContinue))
  }
  return done
}

/** Deletes the progress of rules that were removed: should they come back, they begin anew. ?1 names of the rules. */
const DELETE_OTHERS = (['retention_progress', 'protected_reports'] as const).map(
  (table) =>
    `delete from ${table} where rule in (select s.rule from retention_progress s where s.rule not in (select value from json_each(?1)))`,
)

async function deleteOtherProgress(
  database: Database,
  rules: readonly RetentionRule[],
): Promise<void> {
  const names = JSON.stringify(rules.map(({ name }) => name))
  // The protected reports first: they are found by the rules in `retention_progress`.
  await database.batch(DELETE_OTHERS.toReversed().map((sql) => ({ sql, params: [names] })))
}
