/**
 * Merges the `reports` of a month's days, and of its files so far, into files that are sorted by certname and then by time, a column at a time: of a file
 * no more is in memory than its packed bytes, those of the days' row groups that it is made of, and the values of one column.
 */

import type { FileMetaData, RowGroup } from 'hyparquet'
import { compareTexts } from '../lib/compare-texts.ts'
import { HISTORY_TABLES } from '../schema/history-tables.ts'
import { dayOfTime, pathOf, type HistoryBucket } from './bucket.ts'
import type { CompactedFile } from './compaction.ts'
import { columnAt, placesOf, type GroupSource } from './group-rows.ts'
import { MonthFile, readFooter, readGroups, type PackedChunk } from './month-file.ts'
import { readOrDamaged } from './open-file.ts'
import type * as library from './parquet-library.ts'
import { leavesOf, type HistoryValue, type Leaf } from './parquet-columns.ts'

/** A file of `reports` with the certnames that it may hold. */
export interface ReportsSource extends CompactedFile {
  readonly first: string
  readonly last: string
}

/** A file has this many reports, and those of its last node. */
const REPORTS_OF_FILE = 60_000
/** A row group has this many reports, and those of its last node: fewer cost a longer footer, more a longer read for one node. */
const REPORTS_OF_GROUP = 3000
/** A node with more reports has several row groups. */
const MOST_REPORTS_OF_GROUP = 10_000

const COLUMNS = HISTORY_TABLES.reports
const CERTNAME = COLUMNS.findIndex(({ name }) => name === 'certname')

/** A row group that is in memory. */
interface LoadedGroup {
  /** Of its file. */
  readonly path: string
  readonly source: GroupSource
  readonly group: RowGroup
  /** Its rows that are merged, by their place in the group. */
  readonly certnames: readonly string[]
}

/** Reads the row groups of a file one after the other. */
class SourceReader {
  private groups: readonly RowGroup[] | null = null
  private metadata: FileMetaData | null = null
  private next = 0
  /** Every report with a lesser certname was read; null where all were. */
  frontier: string | null

  constructor(
    private readonly bucket: HistoryBucket,
    private readonly source: ReportsSource,
    private readonly after: string | null,
  ) {
    this.frontier = source.first
  }

  /** @returns null where nothing is left */
  async load(): Promise<LoadedGroup | null> {
    const path = pathOf({ table: 'reports', ...this.source })
    if (this.groups === null) {
      this.metadata = await readFooter(this.bucket, path, this.source.bytes)
      this.groups = (this.metadata?.row_groups ?? []).filter((group) =>
        mayFollow(group, this.after),
      )
    }
    const group = this.groups[this.next++]
    if (group === undefined) {
      this.frontier = null
      return null
    }
    const read = await readGroups(this.bucket, path, this.metadata!, [group])
    if (read === null) {
      // Deleted meanwhile: the month is complete without this run.
      this.frontier = null
      return null
    }
    const loaded = { path, source: { metadata: this.metadata!, ...read }, group }
    const certnames = valuesOf(loaded, 'certname') as string[]
    this.frontier = this.next < this.groups.length ? certnames.at(-1)! : null
    return { ...loaded, certnames }
  }
}

function mayFollow({ columns }: RowGroup, after: string | null): boolean {
  const last = columns[CERTNAME]!.meta_data?.statistics?.max_value
  return typeof last !== 'string' || isBehind(last, after)
}

/** The values of a column of a row group; none where files of its version don't have the column. @throws DamagedPart */
const valuesOf = (
  { path, source, group }: Omit<LoadedGroup, 'certnames'>,
  name: string,
): readonly HistoryValue[] =>
  readOrDamaged(
    path,
    () => columnAt(source, group, placesOf(source, group, {}), name) as readonly HistoryValue[],
  )

/** A report that is merged: its row group, its place there, and by what it is ordered. */
interface MergedRow {
  readonly group: number
  readonly row: number
  readonly certname: string
  time: number
}

/**
 * Merges the next file of a month.
 *
 * @param path of the file
 * @param after the last certname of the file before, null for none
 * @param pause lets others run
 * @returns the file; null where all reports are merged
 */
export async function mergeReports(
  bucket: HistoryBucket,
  path: string,
  month: number,
  sources: readonly ReportsSource[],
  after: string | null,
  pause: () => Promise<void>,
): Promise<Uint8Array | null> {
  const readers = sources
    .filter(({ last }) => isBehind(last, after))
    .map((source) => new SourceReader(bucket, source, after))
  const groups: LoadedGroup[] = []
  const counts = new Map<string, number>()
  let until: string | null = null
  for (;;) {
    const waiting = readers.filter(({ frontier }) => frontier !== null)
    const frontier = leastOf(waiting.map((reader) => reader.frontier!))
    until = lastOf(counts, frontier)
    if (until !== null || waiting.length === 0) break
    for (const reader of waiting.filter((one) => one.frontier === frontier)) {
      const group = await reader.load()
      if (group === null) continue
      groups.push(group)
      for (const certname of group.certnames)
        if (isBehind(certname, after)) counts.set(certname, (counts.get(certname) ?? 0) + 1)
    }
    await pause()
  }
  const isWanted = (certname: string): boolean =>
    isBehind(certname, after) && (until === null || compareTexts(certname, until) <= 0)
  const rows = groups.flatMap(({ certnames }, group) =>
    certnames.flatMap((certname, row): MergedRow[] =>
      isWanted(certname) ? [{ group, row, certname, time: 0 }] : [],
    ),
  )
  if (rows.length === 0) return null
  return write(path, month, groups, rows, pause)
}

const isBehind = (certname: string, after: string | null): boolean =>
  after === null || compareTexts(certname, after) > 0

const leastOf = (names: readonly string[]): string | null =>
  names.reduce<string | null>(
    (least, name) => (least === null || compareTexts(name, least) < 0 ? name : least),
    null,
  )

/** The node by which a file has enough reports, of the nodes before the frontier, which are read whole; null where it hasn't. */
function lastOf(counts: ReadonlyMap<string, number>, frontier: string | null): string | null {
  let reports = 0
  for (const certname of [...counts.keys()].toSorted(compareTexts)) {
    if (frontier !== null && compareTexts(certname, frontier) >= 0) return null
    reports += counts.get(certname)!
    if (reports >= REPORTS_OF_FILE) return certname
  }
  return null
}

async function write(
  path: string,
  month: number,
  groups: readonly LoadedGroup[],
  rows: readonly MergedRow[],
  pause: () => Promise<void>,
): Promise<Uint8Array> {
  const columnOf = (name: string): ((row: MergedRow) => HistoryValue) => {
    const values = groups.map((group) => valuesOf(group, name))
    return ({ group, row }) => values[group]![row] ?? null
  }
  const days: number[] = []
  const timeOf = columnOf('producer_timestamp')
  for (const row of rows) {
    row.time = Number(timeOf(row))
    const day = dayOfTime(row.time) - month
    days[day] = (days[day] ?? 0) + 1
  }
  const sorted = rows.toSorted(
    (one, other) =>
      compareTexts(one.certname, other.certname) ||
      one.time - other.time ||
      one.group - other.group ||
      one.row - other.row,
  )
  const runs = groupsOf(sorted)
  const leaves = leavesOf('reports').map(ofMonth)
  const chunks: PackedChunk[][] = runs.map(() => [])
  const writer = await import('./parquet-library.ts')
  for (const leaf of leaves) {
    await pause()
    const valueOf = columnOf(COLUMNS[leaf.place]!.name)
    for (const [index, run] of runs.entries())
      chunks[index]!.push(packed(writer, leaf, run.map(valueOf)))
  }
  const file = await MonthFile.begin('reports')
  for (const [index, run] of runs.entries()) file.append(run.length, chunks[index]!)
  const [first, last] = [sorted[0]!.certname, sorted.at(-1)!.certname]
  return file.finish(path, { days: countsOf(days), first, last })
}

/** Versions of a node's runs repeat: in a dictionary they take a hundredth of the file more, and a fifth less time to be read. */
function ofMonth(leaf: Leaf): Leaf {
  const { encoding: _, ...encoder } = leaf.encoder
  return encoder.columnName === 'configuration_version' ? { ...leaf, encoder } : leaf
}

/** Counts of which some are missing. */
export const countsOf = (counts: readonly (number | undefined)[]): number[] =>
  Array.from(counts, (count) => count ?? 0)

/** Splits reports into row groups, between nodes where that is possible. */
function groupsOf(rows: readonly MergedRow[]): MergedRow[][] {
  const groups: MergedRow[][] = [[]]
  for (const row of rows) {
    const group = groups.at(-1)!
    const isNext = group.length > 0 && group.at(-1)!.certname !== row.certname
    if ((isNext && group.length >= REPORTS_OF_GROUP) || group.length >= MOST_REPORTS_OF_GROUP)
      groups.push([row])
    else group.push(row)
  }
  return groups
}

/** A chunk of a column. */
export function packed(
  { ByteWriter, writeColumn }: typeof library,
  { encoder, pageOf }: Leaf,
  values: readonly HistoryValue[],
): PackedChunk {
  const writer = new ByteWriter()
  const { chunk } = writeColumn({ writer, column: encoder, pageData: pageOf(values) })
  return { bytes: writer.getBytes().slice(), chunk, at: 0 }
}
