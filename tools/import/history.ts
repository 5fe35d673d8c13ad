/** Reads a folder of history, so that a database can be rebuilt from it. */

import { apiReport, type ReadRow } from '../history/api-report.ts'
import { filePath } from '../../worker/history/bucket.ts'
import { wireReport } from '../../worker/archive/wire.ts'
import { reportFields } from '../../worker/schema/report-fields.ts'
import { sentKey } from '../../worker/schema/stored-field.ts'
import { rowsIn } from '../history/files.ts'
import { folderStore, partsOf } from '../history/store.ts'
import { commandItem } from './archive.ts'
import { isSelected, type ReportSelection } from './selection.ts'
import type { Item, ReportSource } from './source.ts'

const WIRE_VERSION = 8
/** Fields by the names that they are sent with. */
const SENT_NAMES = Object.fromEntries(reportFields.map(([, field]) => [field.name, sentKey(field)]))

/** Reports in the order of days. @throws HistoryError if the folder holds none */
export async function historySource(
  folder: string,
  selection: ReportSelection,
): Promise<ReportSource> {
  const store = folderStore(folder)
  const parts = await partsOf(store)
  return {
    total: null,
    async *items(wanted): AsyncGenerator<Item> {
      for (const part of parts) {
        const reports = await rowsIn(store, 'reports', part)
        const name = (row: ReadRow): string =>
          `${filePath('reports', part.day, part.part)} ${String(row['hash'])}`
        if (!reports.some((row) => wanted(name(row)))) continue
        const events = byReport(await rowsIn(store, 'events', part))
        const logs = byReport(await rowsIn(store, 'logs', part))
        const metrics = byReport(await rowsIn(store, 'metrics', part))
        for (const report of reports) {
          if (!wanted(name(report))) continue
          const hash = report['hash']
          const whole = {
            report,
            events: events.get(hash) ?? [],
            logs: logs.get(hash) ?? [],
            metrics: metrics.get(hash)?.[0] ?? null,
          }
          const row = apiReport(whole, SENT_NAMES)
          const item = commandItem(name(report), wireReport(row).text, WIRE_VERSION)
          if (isSelected(selection, item)) yield item
        }
      }
    },
  }
}

function byReport(rows: readonly ReadRow[]): Map<unknown, ReadRow[]> {
  const groups = new Map<unknown, ReadRow[]>()
  for (const row of rows) {
    const own = groups.get(row['report'])
    if (own) own.push(row)
    else groups.set(row['report'], [row])
  }
  return groups
}
