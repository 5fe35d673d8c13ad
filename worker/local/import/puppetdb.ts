/** A PuppetDB that runs: its reports, asked for in pages by the time they were produced. */

import { wireReport } from '../../archive/wire.ts'
import { isRecord, jsonText, type parseJson } from '../../lib/lossless.ts'
import type { Json } from '../../lib/json.ts'
import type { QueryService } from '../query-service.ts'
import { commandItem } from './archive.ts'
import { ImportError, type Item, type ReportSource } from './source.ts'

/** Reports of a page: whole ones, some of which have megabytes. */
const PAGE = 100

/** The last report of a page, behind which the next one begins. */
interface Position {
  readonly time: string
  readonly hash: string
}

export async function puppetdbSource(puppetdb: QueryService): Promise<ReportSource> {
  const [counted] = await puppetdb.rows('reports', { query: ['extract', [['function', 'count']]] })
  return {
    total: Number((counted as { count?: unknown } | undefined)?.count ?? 0),
    async *items(wanted): AsyncGenerator<Item> {
      let position: Position | null = null
      for (;;) {
        const rows: readonly Json[] = await puppetdb.rows('reports', {
          ...(position && { query: behind(position) }),
          order_by: [{ field: 'producer_timestamp' }, { field: 'hash' }],
          limit: PAGE,
        })
        for (const row of rows) {
          position = positionOf(row)
          if (!wanted(position.hash)) continue
          const { text } = wireReport(jsonText(row))
          yield commandItem(position.hash, text, 8)
        }
        if (rows.length < PAGE) return
      }
    },
  }
}

/** Milliseconds are all that PuppetDB tells, while it compares more digits: the page begins with those of the last one's ms. */
const behind = ({ time, hash }: Position): Json => [
  'or',
  ['>', 'producer_timestamp', time],
  ['and', ['=', 'producer_timestamp', time], ['>', 'hash', hash]],
]

function positionOf(row: ReturnType<typeof parseJson>): Position {
  const { producer_timestamp: time, hash } = isRecord(row) ? row : {}
  if (typeof time !== 'string' || typeof hash !== 'string') {
    throw new ImportError('The answer of PuppetDB holds no reports.')
  }
  return { time, hash }
}
