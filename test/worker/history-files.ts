/** Reads what the history holds, as an engine that is none of ours would find it: by listing the files. */

import { env } from 'cloudflare:workers'
import { apiReport, type ReadRow } from '../../tools/history/api-report.ts'
import { readParquet } from '../../tools/history/read-parquet.ts'
import { HISTORY_TABLE_NAMES, type HistoryTable } from '../../worker/schema/history-tables.ts'
import type { Answer } from './client.ts'

export const bucket = env.TEST_BUCKET

/** The rows of files by the hash of their content, as tests read all files after each step. */
const rowsByHash = new Map<string, ReadRow[]>()

/** The rows of a table, by file. */
export async function rowsByFile(table: HistoryTable): Promise<Map<string, ReadRow[]>> {
  const rows = new Map<string, ReadRow[]>()
  for (let cursor: string | undefined; ;) {
    const page = await bucket.list({ prefix: `${table}/`, ...(cursor && { cursor }) })
    for (const { key, etag } of page.objects) {
      const ofFile = rowsByHash.get(etag) ?? (await rowsOf(key))
      rowsByHash.set(etag, ofFile)
      rows.set(key, ofFile)
    }
    if (!page.truncated) return rows
    cursor = page.cursor
  }
}

async function rowsOf(key: string): Promise<ReadRow[]> {
  const object = await bucket.get(key)
  return readParquet(new Uint8Array(await object!.arrayBuffer()))
}

/** Every report of the history as the API would answer it, without hrefs, as often as it is there. */
export async function archivedReports(): Promise<Answer[]> {
  const tables = {} as Record<HistoryTable, ReadRow[]>
  for (const table of HISTORY_TABLE_NAMES)
    tables[table] = [...(await rowsByFile(table)).values()].flat()
  const of = (table: HistoryTable, hash: unknown): ReadRow[] =>
    tables[table].filter((row) => row['report'] === hash)
  return tables.reports.map((report) => {
    const [events, logs, metrics] = (['events', 'logs', 'metrics'] as const).map((table) =>
      of(table, report['hash']),
    )
    return JSON.parse(
      apiReport({ report, events: events!, logs: logs!, metrics: metrics![0] ?? null }),
    )
  })
}

/** A row of the reports endpoint without what only the API knows. */
export function withoutHrefs(row: Answer): Answer {
  const { logs, metrics, resource_events: events, ...rest } = row
  return {
    ...rest,
    logs: { data: logs.data },
    metrics: { data: metrics.data },
    resource_events: { data: events.data },
  }
}

/** Deletes everything. */
export async function emptyBucket(): Promise<void> {
  const { objects } = await bucket.list()
  if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key))
}
