/** Shows what changed a resource beyond the database: its events of a year from the history. */

import type { ArchivedRow } from '../../history/group-rows.ts'
import type { RowsOfFiles } from '../../history/read-rows.ts'
import { newestFirst, readEventsOfFiles } from '../../history/read-resource.ts'
import { QueryError } from '../../lib/errors.ts'
import type { Timestamp } from '../../lib/time.ts'
import { codeVersionOf } from '../../report/code-version.ts'
import { asRequiredText, type ValuesOf } from '../../schema/readers.ts'
import { EVENT_FAILURE } from '../../schema/states.ts'
import { batchRead, readAll } from '../../store/batch-read.ts'
import {
  filesOfEventsBack,
  NEWEST,
  type BackwardPlace,
  type ReportsFileBack,
} from '../../store/history-places.ts'
import { cursorOf } from '../cursor.ts'
import { dataVersionRead } from '../data-version.ts'
import {
  CERTNAME_PARAMETER,
  CURSOR_PARAMETER,
  limitParameter,
  type PanelDefinition,
  type PanelSource,
} from '../panel.ts'
import { CHANGE_COLUMNS, typeAndTitleOf, type ChangeRow } from '../reports/change-list.ts'
import { archivedEventOf } from './archived-event.ts'
import {
  lookedAt,
  placeIn,
  rowsOfYears,
  YEAR_DAYS,
  YEARS_BOUNDS,
  YEARS_FILES,
  type Looked,
} from './looked.ts'
import { textOf, timeOf } from './year-run.ts'

/** A change with the time of its run, by which the history is read for the report. */
export interface ArchivedChange extends ChangeRow {
  readonly producer_timestamp: Timestamp
}

export interface MonthOfResource {
  /** `2026-03`, in UTC. */
  readonly month: string
  readonly intentional: number
  readonly corrective: number
  readonly failed: number
  /** What noop runs would have changed. */
  readonly pending: number
  readonly nodes: number
}

export interface ResourceYears {
  readonly resource: string
  readonly looked: Looked
  /** Events that were read, those that were skipped excepted. */
  readonly changes: number
  /** The newest first. */
  readonly months: readonly MonthOfResource[]
  /** At most `limit` changes, the newest first. */
  readonly items: readonly ArchivedChange[]
  /** Where the years before begin; null where nothing older is left to read. */
  readonly next: string | null
}

/** Changes that are in memory: of a file with more, a reader has to name a node. */
const MOST_CHANGES = 10_000

const TAKES = {
  resource: asRequiredText('`Type[title]`, or a title.'),
  certname: CERTNAME_PARAMETER,
  cursor: CURSOR_PARAMETER,
  limit: limitParameter(50, 500),
}
type Given = ValuesOf<typeof TAKES>

interface YearsPage {
  /** The newest first, as files have them; only those that are shown have all columns. */
  readonly rows: readonly ArchivedRow[]
  readonly looked: Looked
  readonly next: BackwardPlace | null
  readonly version: string
}

/** Reads a page, once more where the files are others by then: days that were compacted meanwhile are missing. */
async function readPage(
  source: PanelSource,
  given: Given,
  from: BackwardPlace | null,
): Promise<YearsPage> {
  const read = () =>
    readAll(source.database, {
      files: batchRead(
        [filesOfEventsBack(from ?? NEWEST, source.history === null ? 0 : YEARS_FILES)],
        ([files]) => files,
      ),
      version: dataVersionRead(),
    })
  let { files, version } = await read()
  let found = await readFiles(source, given, files)
  if (found.files.some(({ isAbsent, isUnreadable }) => isAbsent || isUnreadable)) {
    const before = JSON.stringify(files)
    ;({ files, version } = await read())
    if (JSON.stringify(files) !== before) found = await readFiles(source, given, files)
  }
  return {
    rows: found.files.flatMap(({ rows }) => rows).toSorted(newestFirst),
    ...lookedAt(found, { now: source.view.now, from, rest: files[found.files.length] }),
    version: `${version} ${found.files.map(({ path }) => path).join(' ')}`,
  }
}

/** @throws QueryError for a resource without a title, and one of which a file has too many changes */
async function readFiles(
  { history }: PanelSource,
  { resource, certname, limit }: Given,
  files: readonly ReportsFileBack[],
): Promise<RowsOfFiles> {
  const { type, title } = typeAndTitleOf(resource)
  if (title === null)
    throw new QueryError(`'${resource}' has no title: expected Type[title], or a title`)
  const shows = (row: ArchivedRow): boolean =>
    (certname === null || row['certname'] === certname) &&
    row['status'] !== 'skipped' &&
    history!.isVisible({
      certname: String(row['certname']),
      environment: textOf(row['environment']),
    })
  const found = await readEventsOfFiles(
    history?.bucket,
    files.filter(({ until }) => until > files[0]!.until - YEAR_DAYS),
    { type, title, shows, whole: limit, most: MOST_CHANGES },
    YEARS_BOUNDS,
  )
  const full = found.files.find(({ isFull }) => isFull)
  if (full !== undefined)
    throw new QueryError(
      `${full.path} has more than ${MOST_CHANGES} changes of ${resource}: add a certname`,
    )
  return found
}

function changeOf(row: ArchivedRow): ArchivedChange {
  const { n: _, ...event } = archivedEventOf(row)
  return {
    ...event,
    certname: String(row['certname']),
    environment: textOf(row['environment']) ?? '',
    report: String(row['report']),
    // The events of the history have no `code_id`.
    code_version: codeVersionOf({
      codeId: null,
      configurationVersion: String(row['configuration_version']),
    }),
    producer_timestamp: timeOf(row['producer_timestamp']),
  }
}

/** The events of each kind, as the list of changes has them. */
const KINDS: Readonly<
  Record<'intentional' | 'corrective' | 'failed' | 'pending', (row: ArchivedRow) => boolean>
> = {
  intentional: ({ status, corrective_change: isCorrective }) =>
    status === 'success' && isCorrective !== true,
  corrective: ({ status, corrective_change: isCorrective }) =>
    status === 'success' && isCorrective === true,
  failed: ({ status }) => status === EVENT_FAILURE,
  pending: ({ status }) => status === 'noop',
}

const monthsOf = (rows: readonly ArchivedRow[]): MonthOfResource[] =>
  [...Map.groupBy(rows, (row) => timeOf(row['producer_timestamp']).slice(0, 7))].map(
    ([month, some]) => ({
      month,
      intentional: some.filter(KINDS.intentional).length,
      corrective: some.filter(KINDS.corrective).length,
      failed: some.filter(KINDS.failed).length,
      pending: some.filter(KINDS.pending).length,
      nodes: new Set(some.map((row) => row['certname'])).size,
    }),
  )

export async function resourceYears(
  source: PanelSource,
  given: Given,
): Promise<{ readonly answer: ResourceYears; readonly version: string }> {
  const { rows, looked, next, version } = await readPage(source, given, placeIn(given.cursor))
  const answer = {
    resource: given.resource,
    looked,
    changes: rows.length,
    months: monthsOf(rows),
    items: rows.slice(0, given.limit).map(changeOf),
    next: next === null ? null : cursorOf(next),
  }
  return { answer, version }
}

/** All changes, the newest first, page by page, as JSON texts. @throws Unavailable where some would be missing */
export function resourceYearsRows(
  source: PanelSource,
  given: Given,
  isLimited: boolean,
): AsyncGenerator<readonly string[]> {
  const { cursor } = given
  const limit = isLimited ? given.limit : Infinity
  return rowsOfYears({ cursor, limit }, async (from) => {
    const { rows, looked, next } = await readPage(source, { ...given, limit }, from)
    return { rows: rows.slice(0, limit).map(changeOf), looked, next }
  })
}

export const RESOURCE_YEARS_PANEL: PanelDefinition<'/changes/years', ResourceYears> = {
  path: '/changes/years',
  summary:
    'What changed one resource, from the history: of a year by month, and the newest changes.',
  takes: TAKES,
  read: null,
  answer: resourceYears,
  table: {
    columns: [...CHANGE_COLUMNS, 'producer_timestamp'],
    most: null,
    rows: resourceYearsRows,
  },
}
