/** Collects the reports of one part, and puts its files into the bucket: `reports` last, which commits the part. */

import { inTurns } from '../lib/turns.ts'
import { HISTORY_TABLE_NAMES, type HistoryTable } from '../schema/history-tables.ts'
import { filePath, type HistoryBucket } from './bucket.ts'
import { tablesPair } from './open-file.ts'
import { TableFile } from './parquet.ts'
import type { HistoryRow } from './parquet-columns.ts'
import { compareEvents, rowsOf } from './rows.ts'
import { REPORTS_OF_TURN, type WholeReport } from './read-reports.ts'

/** Bounds of a part, so that an isolate of 128 MB holds it beside its requests. */
const MOST_REPORTS = 15_000
const MOST_EVENTS = 20_000
const MOST_BYTES = 16_000_000
/**
 * Reports of a row group, and characters of their log lines: each group costs its pages' heads and its place in the footer,
 * a hundredth of the bytes at 2000 reports.
 */
const REPORTS_OF_GROUP = 5000
const CHARACTERS_OF_GROUP = 8_000_000
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
  /** The rows of the row group that is being collected. */
  private group = new Map<HistoryTable, HistoryRow[]>()
  private characters = 0
  private reports = 0
  private first: string | null = null
  private last = ''
  private readonly turn = inTurns(REPORTS_OF_TURN)

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
    return this.reports === 0
  }

  /** Whether no further reports should be added. */
  get isFull(): boolean {
    let bytes = 0
    for (const file of this.files.values()) bytes += file.size
    return this.reports >= MOST_REPORTS || this.events.length >= MOST_EVENTS || bytes >= MOST_BYTES
  }

  /** Adds reports, which follow those before in the order of nodes. */
  async add(reports: readonly WholeReport[]): Promise<void> {
    for (const report of reports) {
      await this.turn(1)
      const rows = rowsOf(report)
      for (const table of this.files.keys()) {
        const collected = table === 'events' ? this.events : this.rowsOfGroup(table)
        for (const row of rows[table]) collected.push(row)
      }
      this.characters += report.logs.length
      this.reports++
      if (this.isGroupFull) await this.writeGroup()
    }
    this.first ??= certnameOf(reports[0])
    this.last = certnameOf(reports.at(-1)) ?? this.last
  }

  private rowsOfGroup(table: HistoryTable): HistoryRow[] {
    let rows = this.group.get(table)
    if (rows === undefined) this.group.set(table, (rows = []))
    return rows
  }

  private get isGroupFull(): boolean {
    const { length } = this.group.get('reports') ?? []
    return length >= REPORTS_OF_GROUP || this.characters >= CHARACTERS_OF_GROUP
  }

  private async writeGroup(): Promise<void> {
    for (const [table, rows] of this.group) await this.files.get(table)!.write(rows)
    this.group = new Map()
    this.characters = 0
  }

  /**
   * Puts the part. Its other files may be there from a run that was interrupted; `reports` must not.
   *
   * @throws PartExists
   */
  async put(bucket: HistoryBucket, day: number, part: number): Promise<WrittenPart> {
    await this.writeGroup()
    const events = this.events.toSorted(compareEvents)
    for (let from = 0; from < events.length; from += EVENTS_OF_GROUP)
      await this.files.get('events')?.write(events.slice(from, from + EVENTS_OF_GROUP))
    let bytes = 0
    for (const [table, file] of [...this.files].toReversed()) {
      const path = filePath(table, day, part)
      if (file.rows === 0) {
        await bucket.delete([path])
        continue
      }
      const pairs = table === 'reports' ? [tablesPair([...this.files.keys()])] : []
      const whole = file.finish(path, pairs)
      bytes += whole.length
      const options = table === 'reports' ? { onlyIf: { etagDoesNotMatch: '*' } } : {}
      if ((await bucket.put(path, whole, options)) === null) throw new PartExists(path)
    }
    const { rows } = this.files.get('reports')!
    return { part, reports: rows, bytes, first: this.first!, last: this.last }
  }
}

const certnameOf = (report: WholeReport | undefined): string | null =>
  report === undefined ? null : String(report.values['certname'])
