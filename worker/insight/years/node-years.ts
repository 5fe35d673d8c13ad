/** Shows the life of a node beyond the database: its runs of a year, from the history and, of the last days, from the database. */

import { sql } from 'drizzle-orm'
import { dayOfTime } from '../../history/bucket.ts'
import { readRunsOfFiles } from '../../history/read-node.ts'
import type { RowsOfFiles } from '../../history/read-rows.ts'
import { NotFound } from '../../lib/errors.ts'
import type { ValuesOf } from '../../schema/readers.ts'
import { integer, select, text, type RowOf } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { batchRead, readAll, type BatchRead } from '../../store/batch-read.ts'
import {
  filesOfNodeBack,
  NEWEST,
  storedFrom,
  type BackwardPlace,
  type ReportsFileBack,
} from '../../store/history-places.ts'
import { cursorOf } from '../cursor.ts'
import { dataVersionRead } from '../data-version.ts'
import { andVisibleNode, nodeNamed } from '../../outcomes/fragments.ts'
import {
  CURSOR_PARAMETER,
  limitParameter,
  type PanelDefinition,
  type PanelSource,
  type VisibleHistory,
} from '../panel.ts'
import { REPORT } from '../reports/report-row.ts'
import {
  lookedAt,
  placeIn,
  rowsOfYears,
  YEAR_DAYS,
  YEARS_BOUNDS,
  YEARS_FILES,
  type Looked,
} from './looked.ts'
import { yearsSummaryOf, type FailureStretch, type YearsSummary } from './summary.ts'
import {
  archivedRunOf,
  CAUSES_COLUMN,
  storedRunOf,
  YEAR_RUN_COLUMNS,
  type YearRun,
} from './year-run.ts'

export interface NodeYears extends YearsSummary {
  readonly certname: string
  readonly looked: Looked
  /** Where the years before begin; null where nothing older is left to read. */
  readonly next: string | null
}

/** Runs from the database: of seven months, if the history has not been written for so long. */
const MOST_STORED_RUNS = 10_000

interface YearsPage {
  /** The newest first. */
  readonly runs: readonly YearRun[]
  readonly looked: Looked
  readonly next: BackwardPlace | null
  readonly version: string
}

const STORED = { ...REPORT, causes: CAUSES_COLUMN }
const NODE_ID = { id: integer(sql`n.id`) }

/** What the database has of a page: the files, and on the first page the runs that are read from it. */
function storedRead(
  { history, view }: PanelSource,
  certname: string,
  from: BackwardPlace | null,
  withStored: boolean,
): BatchRead<{
  readonly files: readonly ReportsFileBack[]
  readonly runs: readonly RowOf<typeof STORED>[]
  readonly exists: boolean
}> {
  const first =
    history === null ? literal(Number.MIN_SAFE_INTEGER) : sql.raw(storedFrom(withStored))
  return batchRead(
    [
      filesOfNodeBack(certname, from ?? NEWEST, {
        limit: history === null ? 0 : YEARS_FILES,
        withStored,
      }),
      select(
        STORED,
        sql`from reports indexed by reports_node where reports.node = ${nodeNamed(certname)} and reports.id >= ${first}
          and reports.type = 0 and ${view.rowPolicy} order by reports.id desc limit ${literal(from === null ? MOST_STORED_RUNS : 0)}`,
      ),
      select(NODE_ID, sql`from nodes n where n.certname = ${certname}${andVisibleNode(view)}`),
    ],
    ([files, runs, [node]]) => ({ files, runs, exists: node !== undefined }),
  )
}

/** Reads a page, once more where a file is missing: its month may have been compacted after the database named it. */
async function readPage(...given: Parameters<typeof readOnce>): Promise<YearsPage> {
  const page = await readOnce(...given)
  return page.looked.unreadable.length > 0 ? readOnce(...given) : page
}

/** Reads the page from a place on. @throws NotFound where neither the database nor the history shows the reader the node */
async function readOnce(
  source: PanelSource,
  certname: string,
  from: BackwardPlace | null,
): Promise<YearsPage> {
  const { history, view } = source
  const read = (withStored: boolean) =>
    readAll(source.database, {
      stored: storedRead(source, certname, from, withStored),
      version: dataVersionRead(),
    })
  let { stored, version } = await read(true)
  const isFull = (): boolean => stored.runs.length >= MOST_STORED_RUNS
  if (isFull()) ({ stored, version } = await read(false))
  const ofDatabase = stored.runs.map((run) => storedRunOf(run, run.causes))
  const isCut = isFull()
  const files = isCut ? [] : ofYear(stored.files, ofDatabase[0])
  const found = await readRunsOfFiles(history?.bucket, files, certname, YEARS_BOUNDS)
  const rest = isCut ? undefined : stored.files[found.files.length]
  const runs = merged(ofDatabase, visibleRuns(found, history))
  if (runs.length === 0 && from === null && !stored.exists) throw new NotFound('node', certname)
  const { looked, next } = lookedAt(found, { now: view.now, from, rest })
  return {
    runs,
    looked: isCut ? { ...looked, from: ofDatabase.at(-1)!.time } : looked,
    next,
    version: `${version} ${found.files.map(({ path }) => path).join(' ')}`,
  }
}

/** The files of the year that ends with the newest run of the database; where there are none, of the year that ends with the first one. */
function ofYear(
  files: readonly ReportsFileBack[],
  newest: YearRun | undefined,
): readonly ReportsFileBack[] {
  const before = (last: number) => files.filter(({ until }) => until > last - YEAR_DAYS)
  const some = newest === undefined ? [] : before(dayOfTime(Date.parse(newest.time)))
  return some.length > 0 ? some : before(files[0]?.until ?? 0)
}

function visibleRuns({ files }: RowsOfFiles, history: VisibleHistory | null): YearRun[] {
  return files.flatMap(({ rows }) =>
    rows.map(archivedRunOf).flatMap(({ certname, run, isOfAgent }) => {
      const { environment } = run
      return isOfAgent && history?.isVisible({ certname, environment }) ? [run] : []
    }),
  )
}

/** The runs of both, each once, the newest first. */
function merged(stored: readonly YearRun[], archived: readonly YearRun[]): YearRun[] {
  const byHash = new Map([...archived, ...stored].map((run) => [run.hash, run]))
  return [...byHash.values()].toSorted((one, other) => (one.time < other.time ? 1 : -1))
}

const TAKES = { cursor: CURSOR_PARAMETER, limit: limitParameter(50, 500) }
type Given = ValuesOf<typeof TAKES> & { readonly certname: string }

export async function nodeYears(
  source: PanelSource,
  { certname, cursor, limit }: Given,
): Promise<{ readonly answer: NodeYears; readonly version: string }> {
  const { runs, looked, next, version } = await readPage(source, certname, placeIn(cursor))
  const { failures, ...summary } = yearsSummaryOf(runs, looked.from !== null, limit)
  const answer = {
    certname,
    looked,
    ...summary,
    failures: await withReasons(source, failures),
    next: next === null ? null : cursorOf(next),
  }
  return { answer, version }
}

const REASON = { cause: text(sql`c.name`), reason: text(sql`c.reason`) }

async function withReasons(
  { database, view }: PanelSource,
  failures: readonly FailureStretch[],
): Promise<readonly FailureStretch[]> {
  const names = [...new Set(failures.flatMap(({ causes }) => causes.map(({ cause }) => cause)))]
  if (view.restricted || names.length === 0) return failures
  const [rows] = await database.batch([
    select(
      REASON,
      sql`from json_each(${JSON.stringify(names)}) named cross join causes c on c.name = named.value`,
    ),
  ])
  const reasons = new Map(rows.map(({ cause, reason }) => [cause, reason]))
  return failures.map((one) => ({
    ...one,
    causes: one.causes.map(({ cause }) => ({ cause, reason: reasons.get(cause) ?? null })),
  }))
}

/** All runs of a node, the newest first, page by page, as JSON texts. @throws Unavailable where some would be missing */
export function nodeYearsRows(
  source: PanelSource,
  { certname, cursor, limit }: Given,
  isLimited: boolean,
): AsyncGenerator<readonly string[]> {
  const most = isLimited ? limit : Infinity
  return rowsOfYears({ cursor, limit: most }, async (from) => {
    const { runs: rows, looked, next } = await readPage(source, certname, from)
    return { rows, looked, next }
  })
}

export const NODE_YEARS_PANEL: PanelDefinition<'/nodes/:certname/years', NodeYears> = {
  path: '/nodes/:certname/years',
  summary:
    'The life of one node, also of a deleted one: its runs of a year by month, when it failed, its versions and changes.',
  takes: TAKES,
  read: null,
  answer: nodeYears,
  table: { columns: YEAR_RUN_COLUMNS, most: null, rows: nodeYearsRows },
}
