/** Reads the reports of a running PuppetDB in pages, by producer timestamp. */

import { wireReport } from '../../worker/archive/wire.ts'
import { isRecord, jsonText } from '../../worker/lib/lossless.ts'
import type { Json } from '../../worker/lib/json.ts'
import type { QueryService } from '../query-service.ts'
import { commandItem } from './archive.ts'
import { formatTimestamp } from '../../worker/lib/time.ts'
import { conditionsOf, type ReportSelection } from './selection.ts'
import { ImportError, type Item, type ReportSource } from './source.ts'

/** Reports per page. Whole reports can have megabytes. */
const PAGE = 100

/** A time before every report: PuppetDB 7 answers 500 to a sorted query whose only condition is on `any`. */
const BEGINNING = '0001-01-01T00:00:00.000Z'

/** Selected reports from a time on. The type `any` includes reports of plans, which PuppetDB otherwise leaves out. */
const selectedReports = (selection: ReportSelection, from: string): Json => [
  'and',
  ['=', 'type', 'any'],
  ['=', 'node_state', 'any'],
  ['>=', 'producer_timestamp', from],
  ...conditionsOf(selection),
]

export async function puppetdbSource(
  puppetdb: QueryService,
  selection: ReportSelection,
): Promise<ReportSource> {
  const beginning = selection.since === null ? BEGINNING : formatTimestamp(selection.since)
  const [counted] = await puppetdb.rows('reports', {
    query: ['extract', [['function', 'count']], selectedReports(selection, beginning)],
  })
  return {
    total: Number((counted as { count?: unknown } | undefined)?.count ?? 0),
    async *items(wanted): AsyncGenerator<Item> {
      // PuppetDB prints milliseconds but compares more digits, so a page begins with the last millisecond of the one
      // before. Their hashes show which reports of it were read: PuppetDB can't compare hashes in a query.
      let last = beginning
      let seen = new Set<string>()
      for (;;) {
        const limit = PAGE + seen.size
        const rows: readonly Json[] = await puppetdb.rows('reports', {
          query: selectedReports(selection, last),
          order_by: [{ field: 'producer_timestamp' }, { field: 'hash' }],
          limit,
        })
        for (const row of rows) {
          const { time, hash } = placeOf(row)
          if (time !== last) {
            last = time
            seen = new Set()
          }
          if (seen.has(hash)) continue
          seen.add(hash)
          if (!wanted(hash)) continue
          const { text } = wireReport(jsonText(row))
          yield commandItem(hash, text, 8)
        }
        if (rows.length < limit) return
      }
    },
  }
}

function placeOf(row: Json): { readonly time: string; readonly hash: string } {
  const { producer_timestamp: time, hash } = isRecord(row) ? row : {}
  if (typeof time !== 'string' || typeof hash !== 'string') {
    throw new ImportError('The answer of PuppetDB holds no reports.')
  }
  return { time, hash }
}
