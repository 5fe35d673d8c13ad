/** What retention would do now: the same rules and the same pages, and nothing written. */

import type { Settings } from '../schema/settings.ts'
import { formatTimestamp } from '../lib/time.ts'
import type { Database } from '../store/database.ts'
import { previewNodes } from './expire-nodes.ts'
import type { RetentionStep } from './retention.ts'
import { keyOfAge, readPage, readStart } from './retention-runner.ts'
import { sweepsOf, type NamedSweep } from './retention-rules.ts'
import { SLOTS } from '../schema/key.ts'

/** Pages that are read for one rule: 100,000 reports. */
const MOST_PAGES = 50

export interface RetentionPreview {
  readonly step: RetentionStep
  readonly rule: string
  /** What was before this time goes. */
  readonly before: string
  readonly nodes?: number
  /** Reports that would go, or be trimmed, and events that would go. */
  readonly reports?: number
  readonly events?: number
  /** Reports of age that stay because they are their nodes' latest. */
  readonly latest_kept?: number
  /** False where there are more than were counted. */
  readonly complete: boolean
}

/** @param now in ms */
export async function previewRetention(
  database: Database,
  settings: Settings,
  now: number,
): Promise<RetentionPreview[]> {
  const { NODE_TTL: expire, NODE_PURGE_TTL: purge } = settings
  const { expiring, going, reports } = await previewNodes(database, now, { expire, purge })
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
      nodes: going,
      reports,
      complete: true,
    },
  ]
  const sweeps: RetentionPreview[] = []
  for (const sweep of sweepsOf(settings)) sweeps.push(await previewSweep(database, sweep, now))
  return [...nodes.filter((_, index) => [expire, purge][index]! > 0), ...sweeps]
}

async function previewSweep(
  database: Database,
  sweep: NamedSweep,
  now: number,
): Promise<RetentionPreview> {
  const behind = keyOfAge(now, sweep.ttl)
  const start = await readStart(database, sweep, behind)
  const released = start.released.filter(({ key }) => key < start.next)
  let from: number | null = start.next
  let reports = released.length
  let events = released.reduce((sum, one) => sum + one.events, 0)
  let latest = 0
  for (let page = 0; page < MOST_PAGES && from !== null && from < behind; page++) {
    const { due, spared, next } = await readPage(database, sweep, from, behind)
    reports += due.length
    events += due.reduce((sum, one) => sum + one.events, 0)
    latest += spared.length
    from = next
  }
  return {
    step: sweep.step,
    rule: sweep.rule,
    before: formatTimestamp(behind / SLOTS),
    reports,
    ...(sweep.removal === 'body' ? {} : { events }),
    latest_kept: latest,
    complete: from === null || from >= behind,
  }
}
