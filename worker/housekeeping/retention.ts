/** Runs retention, which deletes old data in small steps; the next run continues where this one stops. */

import type { History } from '../history/history.ts'
import { log } from '../lib/log.ts'
import { MINUTE } from '../lib/time.ts'
import type { Settings } from '../schema/settings.ts'
import type { Database } from '../store/database.ts'
import { expireNodes, purgeNodes } from './expire-nodes.ts'
import { retentionRules, type RetentionRule } from './retention-rules.ts'
import { RequiredHistory } from './required-history.ts'
import { applyRule } from './retention-runner.ts'

/** PuppetDB's names of cleanup operations, in the order of application; only those with something to delete here. */
export const RETENTION_STEPS = [
  'expire_nodes',
  'purge_nodes',
  'purge_reports',
  'purge_resource_events',
  'other',
] as const
export type RetentionStep = (typeof RETENTION_STEPS)[number]

/** The result of one rule. */
export interface RetentionResult {
  readonly step: RetentionStep
  readonly rule: string
  /** Nodes that expired or were deleted. */
  readonly nodes?: number
  /** Reports that were deleted or lost a part. */
  readonly reports?: number
  /** Names of nodes, or keys of reports, that D1 can't delete; a later run tries again. */
  readonly passedOver?: readonly string[]
  /** As D1 bills them. */
  readonly rowsWritten: number
  /** False if the next run has to continue. */
  readonly complete: boolean
  /** There if something is left because the history does not hold it yet. */
  readonly waitsForHistory?: true
}

/** Limits of a run in time and statements: below those of a cron trigger (15 minutes, 1,000 queries). */
const LONGEST_WAIT_MS = 20_000
const LONGEST_RUN_MS = 10 * MINUTE
const MOST_STATEMENTS = 650

export interface RetentionOptions {
  /** The steps to run; all of them by default. */
  readonly steps?: readonly RetentionStep[]
  /** Where reports may be deleted or lose a part only if the history holds them; null where any may. */
  readonly requiredHistory?: History | null
  /** Most nodes that `purge_nodes` may delete. */
  readonly mostNodes?: number
}

/**
 * Applies the settings as of `now`, in ms. Each step is a transaction of its own, and may be interrupted
 * anywhere; the caller holds the lease of housekeeping.
 *
 * @throws Unavailable where the database can't continue now; finished steps stay committed
 */
export async function runRetention(
  database: Database,
  settings: Settings,
  now: number,
  { steps = RETENTION_STEPS, mostNodes = Infinity, requiredHistory = null }: RetentionOptions = {},
): Promise<RetentionResult[]> {
  const until = Date.now() + LONGEST_RUN_MS
  const { statements, waitMilliseconds } = database.usage
  // Only batches that succeed count as waiting, so that one which D1 ends after 30 s can be halved in the same run.
  const mayContinue = (): boolean =>
    Date.now() < until &&
    database.usage.waitMilliseconds - waitMilliseconds < LONGEST_WAIT_MS &&
    database.usage.statements - statements < MOST_STATEMENTS
  const required = requiredHistory && new RequiredHistory(database, requiredHistory)
  const done: RetentionResult[] = []
  const note = async (
    step: RetentionStep,
    rule: string,
    work: () => Promise<Omit<RetentionResult, 'step' | 'rule' | 'rowsWritten'>>,
  ) => {
    if (!steps.includes(step)) return
    const written = database.usage.rowsWritten
    const { passedOver = [], ...outcome } = await work()
    const rowsWritten = database.usage.rowsWritten - written
    if (passedOver.length > 0) log('warn', { retention: 'passed over', step, rule, passedOver })
    done.push({
      step,
      rule,
      ...outcome,
      ...(passedOver.length > 0 ? { passedOver } : {}),
      rowsWritten,
    })
  }

  const { NODE_TTL, NODE_PURGE_TTL } = settings
  if (NODE_TTL > 0) {
    await note('expire_nodes', 'silent nodes', () =>
      expireNodes(database, now, NODE_TTL, mayContinue),
    )
  }
  if (NODE_PURGE_TTL > 0) {
    await note('purge_nodes', 'inactive nodes', () =>
      purgeNodes(database, now, NODE_PURGE_TTL, mayContinue, { most: mostNodes, required }),
    )
  }
  const rules = retentionRules(settings)
  await deleteOtherProgress(database, rules)
  for (const rule of rules) {
    await note(rule.step, rule.text, () => applyRule(database, rule, now, mayContinue, required))
  }
  return done
}

/** Deletes the progress of rules that were removed, so that they start anew if they return. ?1 names of the rules. */
const DELETE_OTHERS = (['retention_progress', 'protected_reports'] as const).map(
  (table) =>
    `delete from ${table} where rule in (select s.rule from retention_progress s where s.rule not in (select value from json_each(?1)))`,
)

async function deleteOtherProgress(
  database: Database,
  rules: readonly RetentionRule[],
): Promise<void> {
  const names = JSON.stringify(rules.map(({ name }) => name))
  // The protected reports first, because the rules in `retention_progress` identify them.
  await database.batch(DELETE_OTHERS.toReversed().map((sql) => ({ sql, params: [names] })))
}
