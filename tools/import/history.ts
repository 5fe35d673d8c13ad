/** Reads a folder of history, so that a database can be rebuilt from it. */

import { apiReport, type ReadRow } from '../history/api-report.ts'
import type { ParquetGroup } from '../history/read-parquet.ts'
import { dayOfTime, pathOf, type HistoryPlace } from '../../worker/history/bucket.ts'
import { wireReport } from '../../worker/archive/wire.ts'
import { compareTexts } from '../../worker/lib/compare-texts.ts'
import { reportFields } from '../../worker/schema/report-fields.ts'
import { sentKey } from '../../worker/schema/stored-field.ts'
import { groupsIn, rowsIn } from '../history/files.ts'
import { folderStore, placesOf, type HistoryStore } from '../history/store.ts'
import { commandItem } from './archive.ts'
import { isSelected, type ReportSelection } from './selection.ts'
import type { Item, ReportSource } from './source.ts'

const WIRE_VERSION = 8
/** Fields by the names that they are sent with. */
const SENT_NAMES = Object.fromEntries(reportFields.map(([, field]) => [field.name, sentKey(field)]))

/** Reports in the order of days or, of a month that was compacted, of nodes. @throws HistoryError if the folder holds none */
export async function historySource(
  folder: string,
  selection: ReportSelection,
): Promise<ReportSource> {
  const store = folderStore(folder)
  const places = placesOf(store, await store.listWhole())
  return {
    total: null,
    async *items(wanted): AsyncGenerator<Item> {
      for (const place of places.filter(({ table }) => table === 'reports')) {
        const name = (row: ReadRow): string => `${pathOf(place)} ${String(row['hash'])}`
        const reports = (await rowsIn(store, place)).filter((row) => wanted(name(row)))
        for await (const [some, parts] of partsOf(store, places, place, reports)) {
          for (const report of some) {
            const hash = report['hash']
            const whole = {
              report,
              events: parts.events.get(hash) ?? [],
              logs: parts.logs.get(hash) ?? [],
              metrics: parts.metrics.get(hash)?.[0] ?? null,
            }
            const row = apiReport(whole, SENT_NAMES)
            const item = commandItem(name(report), wireReport(row).text, WIRE_VERSION)
            if (isSelected(selection, item)) yield item
          }
        }
      }
    },
  }
}

/** Rows by the hash of their report. */
type ByReport = ReadonlyMap<unknown, readonly ReadRow[]>
type Parts = Readonly<Record<'events' | 'logs' | 'metrics', ByReport>>

/** The reports of a file with the rows of their other tables: all of a day, or a day at a time of a month. */
async function* partsOf(
  store: HistoryStore,
  places: readonly HistoryPlace[],
  place: HistoryPlace,
  reports: readonly ReadRow[],
): AsyncGenerator<readonly [reports: readonly ReadRow[], parts: Parts]> {
  if (reports.length === 0) return
  if (place.span === 'day') {
    const of = async (table: HistoryPlace['table']): Promise<ByReport> =>
      byReport(await rowsIn(store, { ...place, table }))
    yield [
      reports,
      { events: await of('events'), logs: await of('logs'), metrics: await of('metrics') },
    ]
    return
  }
  const monthReader = (table: HistoryPlace['table']): MonthReader =>
    new MonthReader(
      store,
      places.filter((one) => one.table === table && one.span === 'month' && one.day === place.day),
    )
  const readers = {
    events: monthReader('events'),
    logs: monthReader('logs'),
    metrics: monthReader('metrics'),
  }
  const dayOf = (report: ReadRow): number => dayOfTime(Number(report['producer_timestamp']))
  const days = new Set(reports.map(dayOf))
  for (const day of [...days].toSorted((one, other) => one - other)) {
    const some = reports.filter((report) => dayOf(report) === day)
    const hashes = new Set(some.map((report) => report['hash']))
    const nodes = some.map((report) => String(report['certname'])).toSorted()
    const of = (reader: MonthReader): Promise<ByReport> => reader.rowsOf(day, hashes, nodes)
    yield [
      some,
      {
        events: await of(readers.events),
        logs: await of(readers.logs),
        metrics: await of(readers.metrics),
      },
    ]
  }
}

/** Reads the files of a month's table as far as a day needs them. They follow each other in time, so each is read about once. */
class MonthReader {
  private readonly open = new Map<HistoryPlace, readonly ParquetGroup[]>()
  private readonly days = new Map<HistoryPlace, readonly [first: number, last: number]>()

  constructor(
    private readonly store: HistoryStore,
    private readonly places: readonly HistoryPlace[],
  ) {}

  /** @param nodes of the reports, in order: their rows are in few row groups of a day, but for events */
  async rowsOf(
    day: number,
    hashes: ReadonlySet<unknown>,
    nodes: readonly string[],
  ): Promise<ByReport> {
    const rows: ReadRow[] = []
    for (const place of this.places) {
      const [first, last] = this.days.get(place) ?? [day, day]
      if (day < first || day > last) {
        this.open.delete(place)
        continue
      }
      const groups = this.open.get(place) ?? (await groupsIn(this.store, place))
      this.open.set(place, groups)
      const spans = groups.map(daysOf)
      this.days.set(place, [
        Math.min(...spans.map(([least]) => least)),
        Math.max(...spans.map(([, most]) => most)),
      ])
      for (const [index, group] of groups.entries()) {
        const [least, most] = spans[index]!
        if (day < least || day > most || !mayHold(group, nodes)) continue
        rows.push(...(await group.rows()).filter((row) => hashes.has(row['report'])))
      }
    }
    return byReport(rows)
  }
}

const daysOf = (group: ParquetGroup): readonly [least: number, most: number] => {
  const [least, most] = group.boundsOf('producer_timestamp')
  return [dayOfTime(Number(least)), dayOfTime(Number(most))]
}

/** Statistics of the least and the greatest name, which may be cut, hold these too. */
function mayHold(group: ParquetGroup, nodes: readonly string[]): boolean {
  const [first, last] = [nodes[0]!, nodes.at(-1)!]
  const [least, most] = group.boundsOf('certname')
  return (
    compareTexts(String(least ?? first), last) <= 0 &&
    compareTexts(first, String(most ?? last)) <= 0
  )
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
