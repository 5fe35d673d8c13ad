/** Runs of nodes and what the hourly trigger makes of them, beside a history. */

import { env } from 'cloudflare:workers'
import { afterAll, vi } from 'vitest'
import worker from '../../worker/index.ts'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { HOUR } from '../../worker/lib/time.ts'
import { ask, type Answer } from './client.ts'
import { bucket, emptyBucket, withoutHrefs } from './history-files.ts'
import { NOON, report, type Payload } from './reports.ts'

const TABLES = ['reports', 'events', 'long_values', 'body_parts', 'report_causes', 'nodes']
const MARKS = ['open_hours', 'hour_counts', 'unarchived_days', 'history_days', 'history_parts']
const PROGRESS = ['retention_progress', 'protected_reports', 'leases']

/** An empty bucket, and a database without reports and marks. */
export async function emptyHistory(): Promise<void> {
  await emptyBucket()
  const tables = [...TABLES, ...MARKS, ...PROGRESS]
  await env.DB.batch(tables.map((table) => env.DB.prepare(`delete from ${table}`)))
}

/** Keeps the log of the file that calls it from the console. @returns its spies */
export function spiesOnLog() {
  const spies = {
    log: vi.spyOn(console, 'info').mockImplementation(() => undefined),
    warn: vi.spyOn(console, 'warn').mockImplementation(() => undefined),
    error: vi.spyOn(console, 'error').mockImplementation(() => undefined),
  }
  afterAll(() => {
    for (const spy of Object.values(spies)) spy.mockRestore()
  })
  return spies
}

/** What the hourly trigger does, with a bucket. */
export async function tick(
  now: number,
  settings: Record<string, string> = {},
  history: HistoryBucket | undefined = bucket,
): Promise<void> {
  const controller = { scheduledTime: now, cron: '13 * * * *', noRetry: () => undefined }
  await worker.scheduled(controller, { ...env, HISTORY: history, ...settings })
}

export const iso = (time: number): string => new Date(time).toISOString()
/** A run of a node, at a time. */
export const run = (certname: string, time: number, parts: Payload = {}): Payload =>
  report({
    certname,
    start_time: iso(time - 10_000),
    end_time: iso(time - 500),
    producer_timestamp: iso(time),
    ...parts,
  })

export const MIDNIGHT = NOON - 12 * HOUR

/** The reports that the database has. */
export const stored = async (): Promise<Answer[]> =>
  (await ask('/query/v4/reports', { query: ['=', 'type', 'any'] })).map(withoutHrefs)

/** A log line. */
export const LINE = {
  ...{ file: null, line: null, level: 'notice', message: 'x', source: 'Puppet', tags: [] },
  time: '2026-03-02T11:59:59Z',
}
