/** Searches log lines of the runs of a span for a text, newest first: a bounded part for each request, and a cursor to go on. */

import { sql, type SQL } from 'drizzle-orm'
import { QueryError } from '../lib/errors.ts'
import { formatTimestamp, type Timestamp } from '../lib/time.ts'
import { decodeLogsWith } from '../report/body.ts'
import { decodeState, isNotable, NOTABLE_CODES, type StateName } from '../schema/states.ts'
import { flag, integer, nullable, text, typed, selectList, type RowOf } from '../sql/columns.ts'
import {
  bytesOfHex,
  hexOf,
  integerOf,
  keyMilliseconds,
  literal,
  lowerHexOf,
} from '../sql/encoding.ts'
import { render } from '../sql/render.ts'
import type { TypedStatement } from '../sql/statement.ts'
import { batchRead, type BatchRead } from '../store/batch-read.ts'
import { cursorOf, positionOf } from './cursor.ts'
import { inSpan, stringOf } from '../outcomes/fragments.ts'
import type { ListPage } from './list-pages.ts'
import { METRIC_NAMES, logLine } from './reports/report-body.ts'
import { NODE_NAME } from './reports/report-row.ts'
import type { View } from './view.ts'
import { asFlag, asRequiredText } from '../schema/readers.ts'
import { CERTNAME_PARAMETER, CURSOR_PARAMETER, limitParameter, definePanel } from './panel.ts'

/** Most reports read by one request. */
export const MOST_SEARCHED = 2000
/** Most bytes of their bodies together, as stored, and most characters that these may unpack to. */
const MOST_BYTES = 1_500_000
const MOST_CHARACTERS = 32_000_000
/** Largest body that is searched, in bytes as stored. */
const LONGEST_SEARCHED = 200_000
/** Longest part of a message that is answered, in characters. */
const LONGEST_SHOWN = 1000

export interface LogSearchOptions {
  /** Found in any case; blanks and line breaks are alike. */
  readonly text: string
  /** Only runs that failed, corrected drift or would change something, which an index finds. */
  readonly notable: boolean
  readonly certname: string | null
  readonly cursor: string | null
  /** Most lines answered. */
  readonly limit: number
}

export interface LogHit {
  readonly report: string
  readonly certname: string
  readonly environment: string | null
  readonly state: StateName
  readonly noop: boolean
  /** The number of the line in the report's log, from 0. */
  readonly index: number
  /** As the agent wrote it. */
  readonly time: string
  readonly level: string
  readonly source: string
  /** Verbatim; of a longer message, the thousand characters around the text. */
  readonly message: string
  readonly file: string | null
  readonly line: number | null
}

/** The lines of newer reports first; those of a report in their order. `next` is null where the whole span was read. */
export interface LogSearch extends ListPage<LogHit> {
  readonly text: string
  readonly notable: boolean
  /** Number of reports of the view whose logs were read now, and of those that were passed over because their body is too long. */
  readonly reports: number
  readonly too_long: number
  /** The log was read from the end of the span, or the page before, back to this time. */
  readonly back_to: Timestamp
}

/** Takes one round trip with one statement. @throws QueryError for an empty text, or a cursor of another list */
export function logSearchRead(view: View, options: LogSearchOptions): BatchRead<LogSearch> {
  const wanted = normal(options.text)
  if (wanted === '') throw new QueryError(`'q' is empty: give the text to look for in log lines.`)
  const start = options.cursor === null ? null : positionOf(options.cursor, [0, 0] as const)
  return batchRead([bodies(view, options, start?.[0] ?? null)], ([rows]) =>
    searched(rows, view, { ...options, text: wanted }, start?.[1] ?? 0),
  )
}

const normal = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase()

const columnsOf = ({ where }: View) => ({
  key: integer(sql`scanned.id`),
  /** Whether the request's share of bytes ends before this report. */
  beyond: flag(sql`scanned.total > ${literal(MOST_BYTES)}`),
  visible: flag(sql`(${where})`),
  long: flag(sql`scanned.bytes >= ${literal(LONGEST_SEARCHED)}`),
  hash: text(lowerHexOf(sql`reports.hash`)),
  certname: NODE_NAME,
  environment: nullable(text(stringOf(sql`reports.environment`))),
  state: integer(sql`reports.state`),
  metricNames: METRIC_NAMES,
  /** In hex digits; null of a report that the view excludes, or that is not read now. */
  body: nullable(
    text(
      sql`iif(scanned.bytes < ${literal(LONGEST_SEARCHED)} and scanned.total <= ${literal(MOST_BYTES)} and (${where}), ${hexOf(sql`reports.body`)}, null)`,
    ),
  ),
})
type Body = RowOf<ReturnType<typeof columnsOf>>

/** A row for each report of the window, also for those that the view excludes, so that a request never reads more. */
function bodies(
  view: View,
  { notable, certname }: LogSearchOptions,
  newest: number | null,
): TypedStatement<Body> {
  const span = sql`${inSpan(sql`id`, view)}${newest === null ? sql`` : sql` and id <= ${literal(newest)}`}`
  const columns = columnsOf(view)
  return typed(
    columns,
    render(sql`with scanned as materialized (select id, bytes, sum(iif(bytes < ${literal(LONGEST_SEARCHED)}, bytes, 0))
        over (order by id desc rows unbounded preceding) as total from (${windowOf(notable, certname, span)}))
      select ${selectList(columns)} from scanned cross join reports on reports.id = scanned.id order by scanned.id desc`),
  )
}

const BYTES = sql`coalesce(length(body), 0)`

/** The newest reports with the lengths of their bodies, one more than a request reads. */
function windowOf(notable: boolean, certname: string | null, span: SQL): SQL {
  const newest = sql`order by id desc limit ${literal(MOST_SEARCHED + 1)}`
  const ofNode =
    certname === null
      ? sql``
      : sql` and node = (select n.id from nodes n where n.certname = ${certname})`
  if (!notable)
    return sql`select id, ${BYTES} as bytes from reports where ${span}${ofNode} ${newest}`
  return sql`select reports.id, ${BYTES} as bytes from json_each(${JSON.stringify(NOTABLE_CODES)}) code cross join reports
    on reports.id in (select id from reports indexed by reports_notable
      where ${sql.raw(isNotable('state'))} and state = ${integerOf(sql`code.value`)} and ${span}${ofNode} ${newest})
    order by reports.id desc limit ${literal(MOST_SEARCHED + 1)}`
}

function searched(
  rows: readonly Body[],
  view: View,
  { text, notable, limit }: LogSearchOptions,
  firstLine: number,
): LogSearch {
  const piece = text.split(' ').reduce((one, other) => (other.length > one.length ? other : one))
  const items: LogHit[] = []
  let [reports, tooLong, characters, last] = [0, 0, 0, 0]
  const answer = (next: LogSearch['next'], backTo: number): LogSearch => ({
    text,
    notable,
    items,
    reports,
    too_long: tooLong,
    back_to: formatTimestamp(backTo),
    next,
  })
  const stopAt = (key: number, line: number): LogSearch =>
    answer(cursorOf([key, line]), keyMilliseconds(last === 0 ? key : last))
  for (const [index, row] of rows.entries()) {
    const { key } = row
    if (index === MOST_SEARCHED || row.beyond || characters > MOST_CHARACTERS) return stopAt(key, 0)
    last = key
    if (!row.visible) continue
    reports++
    if (row.long) tooLong++
    const found = decodeLogsWith(piece, row.metricNames, bytesOfHex(row.body ?? ''))
    characters += found.characters
    const from = index === 0 ? firstLine : 0
    for (const hit of hitsOf(row, found.logs, { text, piece })) {
      if (hit.index < from) continue
      if (items.length === limit) return stopAt(key, hit.index)
      items.push(hit)
    }
  }
  return answer(null, view.since)
}

interface Wanted {
  readonly text: string
  /** The longest word of the text. */
  readonly piece: string
}

function hitsOf(
  { hash, certname, environment, state }: Body,
  logs: string | null,
  { text, piece }: Wanted,
) {
  if (logs === null) return []
  const lines = JSON.parse(logs) as readonly unknown[] | null
  return (lines ?? []).flatMap((entry, index): LogHit[] => {
    const { time, level, source, message, file, line } = logLine(entry)
    if (!normal(message).includes(text)) return []
    const { state: name, noop } = decodeState(state)
    return [
      {
        report: hash,
        certname,
        environment,
        state: name,
        noop,
        index,
        time,
        level,
        source,
        message: around(message, piece),
        file,
        line,
      },
    ]
  })
}

/** The part of a long message around a place. */
function around(message: string, piece: string): string {
  if (message.length <= LONGEST_SHOWN) return message
  const at = message.toLowerCase().indexOf(piece)
  const from = Math.max(0, Math.min(at - LONGEST_SHOWN / 4, message.length - LONGEST_SHOWN))
  const to = from + LONGEST_SHOWN
  return `${from > 0 ? '…' : ''}${message.slice(from, to)}${to < message.length ? '…' : ''}`
}

export const LOGS_PANEL = definePanel({
  path: '/logs',
  summary: 'Log lines with a text, newest first; a bounded part of the span for each request.',
  takes: {
    q: asRequiredText('The text to look for.'),
    notable: asFlag('Only runs that failed, corrected drift or would change something.', false),
    certname: CERTNAME_PARAMETER,
    cursor: CURSOR_PARAMETER,
    limit: limitParameter(50, 500),
  },
  read: (view, { q, ...others }) => logSearchRead(view, { ...others, text: q }),
})
