/** A panel, declared once: its path, what it takes, and how it is read. Routes, descriptions and exports follow from it. */

import {
  asCount,
  asFlag,
  asText,
  type ValueReader,
  type Readers,
  type ValuesOf,
} from '../schema/readers.ts'
import type { Database } from '../store/database.ts'
import { answering, type BatchRead, readAll } from '../store/batch-read.ts'
import { dataVersionRead } from './data-version.ts'
import { everyRow, type ListPage } from './list-pages.ts'
import type { HistoryBucket } from '../history/bucket.ts'
import type { View } from './view.ts'

/** What a panel is answered from. */
export interface PanelSource {
  readonly database: Database
  readonly view: View
  readonly history: VisibleHistory | null
}

/** The history as a reader may see it. */
export interface VisibleHistory {
  readonly bucket: HistoryBucket
  /** Whether the row policy shows the reader a report. */
  readonly isVisible: (report: {
    readonly certname: string
    readonly environment: string | null
  }) => boolean
}

export interface PanelDefinition<Path extends string = string, Answer = unknown> {
  /** Below `/insight/v1`, in the syntax of the router. */
  readonly path: Path
  /** What it answers, in a sentence. */
  readonly summary: string
  readonly takes: Readers
  /** How it is read where one round trip does, so that several panels can share it; null where it takes more. */
  readonly read: ((view: View, given: never) => BatchRead<Answer>) | null
  /** The answer, and the version of the data that it was made of. @param given values of `takes` and names of the path */
  readonly answer: (
    source: PanelSource,
    given: never,
  ) => Promise<{ readonly answer: Answer; readonly version: string }>
  /** All rows of a list, for clients that ask for rows instead of a page. */
  readonly table?: PanelTable
}

export interface PanelTable {
  readonly columns: readonly string[]
  /** The most rows; null where all are read, page by page. */
  readonly most: number | null
  /** JSON texts of rows. @param isLimited whether the client sent a limit, which then is the number of rows */
  readonly rows: (
    source: PanelSource,
    given: never,
    isLimited: boolean,
  ) => AsyncGenerator<readonly string[]>
}

/** Names in a path: `/nodes/:certname` has `certname`. */
type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Readonly<Record<Name, string>> & NamesIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Readonly<Record<Name, string>>
    : unknown

type GivenTo<Path extends string, Taken extends Readers> = ValuesOf<Taken> & NamesIn<Path>

interface Declaration<Path extends string, Taken extends Readers, Answer> {
  readonly path: Path
  readonly summary: string
  readonly takes: Taken
  readonly read: (view: View, given: GivenTo<Path, Taken>) => BatchRead<Answer>
}

/** A panel that is read in one round trip. */
export const definePanel = <const Path extends string, const Taken extends Readers, Answer>({
  path,
  summary,
  takes,
  read,
}: Declaration<Path, Taken, Answer>): PanelDefinition<Path, Answer> => ({
  path,
  summary,
  takes,
  read,
  answer: ({ database, view }, given: GivenTo<Path, Taken>) =>
    readAll(database, { answer: read(view, given), version: dataVersionRead() }),
})

/** Rows that one round trip of an export reads. */
const ROWS_AT_ONCE = 500

interface PageOptions {
  readonly limit: number
  readonly cursor?: string | null
}

/** A panel that lists rows page by page, and answers all of them as JSON, NDJSON or CSV. */
export const defineListPanel = <
  const Path extends string,
  const Taken extends Readers & { readonly limit: ValueReader<number> },
  Answer extends { readonly items: readonly object[]; readonly next?: string | null },
  Row extends object = Answer['items'][number],
>({
  columns,
  row,
  ...declaration
}: Declaration<Path, Taken, Answer> & {
  /** Names of a row's columns, also for tables without rows. */
  readonly columns: readonly (keyof Row & string)[]
  /** The row of an item; by default the item itself. */
  readonly row?: (item: Answer['items'][number]) => Row
}): PanelDefinition<Path, Answer> => {
  const { takes, read } = declaration
  return {
    ...definePanel(declaration),
    table: {
      columns,
      most: 'cursor' in takes ? null : mostOf(takes.limit),
      rows({ database, view }, given: GivenTo<Path, Taken> & PageOptions, isLimited) {
        const isWhole = isLimited || !('cursor' in takes)
        const limit = isLimited ? given.limit : mostOf(takes.limit)
        const page = (cursor: string | null): BatchRead<ListPage<Answer['items'][number]>> =>
          answering(read(view, { ...given, cursor, limit }), ({ items, next = null }) => ({
            items,
            next,
          }))
        return everyRow(database, page, given.cursor ?? null, {
          once: isWhole,
          ...(row ? { row } : {}),
        })
      },
    },
  }
}

const mostOf = ({ schema }: ValueReader<number>): number =>
  Number(schema['maximum'] ?? ROWS_AT_ONCE)

/** Parameters that several panels take. */
export const CERTNAME_PARAMETER = asText('Only this node.')
export const CURSOR_PARAMETER = asText('The `next` of the page before.')
export const limitParameter = (initially: number, most: number): ValueReader<number> =>
  asCount('The most items to answer.', initially, { least: 1, most })
export const runsParameter = (initially: number, most: number): ValueReader<number> =>
  asCount('The most runs of each node.', initially, { least: 1, most })
export const NOOP_PARAMETER = asFlag('Only noop runs, or only real ones.', null)
export const FACT_ERRORS_PARAMETER = asFlag(
  'Only where facts or plugins failed before the catalog was applied, or only where they did not.',
  null,
)
