/** Previews retention: applies the same rules to the same pages without writing. */

import type { Settings } from '../schema/settings.ts'
import { formatTimestamp } from '../lib/time.ts'
import { keyMilliseconds } from '../sql/encoding.ts'
import type { Database } from '../store/database.ts'
import { previewNodes } from './expire-nodes.ts'
import type { RetentionStep } from './retention.ts'
import { keyOfAge, readRulePage, readStart, type RulePage } from './retention-runner.ts'
import { retentionRules, type RetentionRule } from './retention-rules.ts'

/** Most pages read for one rule: 100,000 reports. */
const MOST_PAGES = 50

export interface RetentionPreview {
  readonly step: RetentionStep
  readonly rule: string
  /** Retention deletes reports and events older than this. */
  readonly before: string
  readonly nodes?: number
  /** Reports that would be deleted or lose a part, and events that would be deleted. */
  readonly reports?: number
  readonly events?: number
  /** Expired reports that are kept because they are their nodes' latest. */
  readonly latest_kept?: number
  /** False if there are more reports than were counted. */
  readonly complete: boolean
}

/** @param now in ms */
export async function previewRetention(
  database: Database,
  settings: Settings,
  now: number,
): Promise<RetentionPreview[]> {
  const { NODE_TTL: expire, NODE_PURGE_TTL: purge } = settings
  const { expiring, deleted } = await previewNodes(database, now, { expire, purge })
  const nodes: RetentionPreview[] = [
    {
      step: 'expire_nodes',
      rule: 'silent nodes',
      before: formatTimestamp(now - expire),
      nodes: expiring,
      complete: true,
    },
    {
      step: 'purge_nodes',
      rule: 'inactive nodes',
      before: formatTimestamp(now - purge),
      ...deleted,
      complete: true,
    },
  ]
  const rules: RetentionPreview[] = []
  for (const rule of retentionRules(settings)) rules.push(await previewRule(database, rule, now))
  return [...nodes.filter((_, index) => [expire, purge][index]! > 0), ...rules]
}

async function previewRule(
  database: Database,
  rule: RetentionRule,
  now: number,
): Promise<RetentionPreview> {
  const behind = keyOfAge(now, rule.ttl)
  const start = await readStart(database, rule, behind)
  const released = start.released.filter(({ key }) => key < start.next)
  let from: number | null = start.next
  let reports = released.length
  let events = released.reduce((sum, one) => sum + one.events, 0)
  let latest = 0
  for (let page = 0; page < MOST_PAGES && from !== null && from < behind; page++) {
    const page: RulePage = await readRulePage(database, rule, from, behind)
    reports += page.expired.length
    events += page.expired.reduce((sum, one) => sum + one.events, 0)
    latest += page.protected.length
    from = page.next
  }
  return {
    step: rule.step,
    rule: rule.text,
    before: formatTimestamp(keyMilliseconds(behind)),
    reports,
    ...(rule.part === 'body' ? {} : { events }),
    latest_kept: latest,
    complete: from === null || from >= behind,
  }
}
