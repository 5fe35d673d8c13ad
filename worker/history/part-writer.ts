/** Collects the reports of one part, and puts its files into the bucket: `reports` last, which commits the part. */

import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import { filePath, type HistoryBucket } from './bucket.ts'
import { TableFile, type HistoryRow } from './parquet.ts'
import { compareEvents, rowsOf } from './rows.ts'
import type { WholeReport } from './read-reports.ts'

/** Bounds of a part, so that an isolate of 128 MB holds it beside its requests. */
const MOST_REPORTS = 15_000
const MOST_EVENTS = 20_000
const MOST_BYTES = 16_000_000
/** Rows of a row group of `events`, which are sorted over the whole part. */
const EVENTS_OF_GROUP = 5000

/** The bucket has another file of that name: a run that this one does not know of works on the day. */
export class PartExists extends Error {}

/** A part that was put. */
export interface WrittenPart {
  readonly part: number
  readonly reports: number
  readonly bytes: number
  readonly first: string
  readonly last: string
}

export class PartWriter {
  private readonly events: HistoryRow[] = []
  private first: string | null = null
  private last = ''

  private constructor(private readonly files: ReadonlyMap<HistoryTable, TableFile>) {}

  /** @param tables that are written beside `reports` */
  static async begin(tables: readonly HistoryTable[]): Promise<PartWriter> {
    const wanted = HISTORY_TABLE_NAMES.filter(
      (table) => table === 'reports' || tables.includes(table),
    )
    const files = new Map<HistoryTable, TableFile>()
    for (const table of wanted) files.set(table, await TableFile.begin(table))
    return new PartWriter(files)
  }

  get isEmpty(): boolean {
    return this.first === null
  }

  /** Whether no further reports should be added. */
  get isFull(): boolean {
    let bytes = 0
    for (const file of this.files.values()) bytes += file.size
    return (
      this.files.get('reports')!.rows >= MOST_REPORTS ||
      this.events.length >= MOST_EVENTS ||
      bytes >= MOST_BYTES
    )
  }

  /** Adds reports, which follow those before in the order of nodes, as a row group. */
  add(reports: readonly WholeReport[]): void {
    if (reports.length === 0) return
    const rows = reports.map(rowsOf)
    for (const [table, file] of this.files) {
      const own = rows.flatMap((one) => one[table])
      if (table === 'events') this.events.push(...own)
      else file.write(own)
    }
    this.first ??= String(reports[0]!.values['certname'])
    this.last = String(reports.at(-1)!.values['certname'])
  }

  /**
   * Puts the part. Its other files may be there from a run that was interrupted; `reports` must not.
   *
   * @throws PartExists
   */
  async put(bucket: HistoryBucket, day: number, part: number): Promise<WrittenPart> {
    const events = this.events.toSorted(compareEvents)
    for (let from = 0; from < events.length; from += EVENTS_OF_GROUP)
      this.files.get('events')?.write(events.slice(from, from + EVENTS_OF_GROUP))
    let bytes = 0
    for (const [table, file] of [...this.files].toReversed()) {
      const path = filePath(table, day, part)
      if (file.rows === 0) {
        await bucket.delete([path])
        continue
      }
      const whole = file.finish()
      bytes += whole.length
      const options = table === 'reports' ? { onlyIf: { etagDoesNotMatch: '*' } } : {}
      if ((await bucket.put(path, whole, options)) === null) throw new PartExists(path)
    }
    const { rows } = this.files.get('reports')!
    return { part, reports: rows, bytes, first: this.first!, last: this.last }
  }
}
