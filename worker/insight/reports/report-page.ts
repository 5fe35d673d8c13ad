/** Shows one report with its events, logs, metrics and causes, and the reports before and after it. */

import { sql, type SQL } from 'drizzle-orm'
import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { decodeState, type RunState } from '../../schema/states.ts'
import { json, select } from '../../sql/columns.ts'
import { lowerHexOf, producerTimestampOf } from '../../sql/encoding.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { reportCauseOf, reportCauses, type ReportCause } from '../causes/report-causes.ts'
import type { View } from '../view.ts'
import { reportEvents, type EventRow } from './event-row.ts'
import { bodyOf, bodyPieces, type ReportBody } from './report-body.ts'
import { headOf, REPORT_HEAD, type ReportHead } from './report-head.ts'
import { neighbourOf, NEIGHBOUR_NAMES, reportNamed, type NeighbourName } from './report-key.ts'
import { reportRowOf, type ReportRow } from './report-row.ts'
import { slowResourcesOf, type SlowResourceRow } from './report-slowest.ts'

export interface ReportPage extends ReportRow, ReportHead, ReportBody {
  readonly is_latest: boolean
  /** Neighbours on the same node, by time; null at the ends. */
  readonly previous: NeighbourReport | null
  readonly next: NeighbourReport | null
  /** The last report before this one that did not fail. */
  readonly last_good: NeighbourReport | null
  readonly causes: readonly ReportCause[]
  /** In the order sent; `n`, from 0, is the permalink `#e0`. */
  readonly report_events: readonly EventRow[]
  /** Slowest first, at most ten; empty where the sender does not report how long resources took. */
  readonly slow_resources: readonly SlowResourceRow[]
  /** Sentences about parts of the report that were left out. */
  readonly warnings: readonly string[]
  /** Only of a report that was read from the history, as the database has it no more. */
  readonly archived?: ArchivedPlace
}

/** Where the history has a report. */
export interface ArchivedPlace {
  /** The files that have rows of it, and the requests to object storage that it took. */
  readonly files: readonly string[]
  readonly reads: number
  /** Files that are damaged, or that object storage did not give: what they hold is missing. */
  readonly unreadable: readonly string[]
}

export interface NeighbourReport extends RunState {
  readonly hash: string
  readonly time: Timestamp
}

/** @throws NotFound where no report of that hash is visible */
export function reportPageRead(view: View, hash: string): BatchRead<ReportPage> {
  const key = reportNamed(view, hash)
  return batchRead(
    [
      select(
        { ...REPORT_HEAD, neighbours: neighboursOf(view, key) },
        sql`from reports where reports.id in (${key})`,
      ),
      reportEvents(key),
      bodyPieces(key),
      reportCauses(key),
    ],
    ([[head], events, pieces, causes]) => {
      if (!head) throw new NotFound('report', hash)
      return {
        ...reportRowOf(head),
        ...headOf(head),
        is_latest: head.isLatest,
        previous: neighbourNamed('previous', head.neighbours),
        next: neighbourNamed('next', head.neighbours),
        last_good: neighbourNamed('good', head.neighbours),
        causes: causes.map((cause) => reportCauseOf(view, cause)),
        report_events: events,
        slow_resources: slowResourcesOf(head.slowest),
        warnings: head.warnings ?? [],
        ...bodyOf(head, pieces),
      }
    },
  )
}

interface StoredNeighbour {
  readonly name: NeighbourName
  readonly hash: string
  /** In ms since 1970. */
  readonly time: number
  readonly state: number
}

/** The neighbours as one value, since each statement of a page counts. */
function neighboursOf(view: View, key: SQL) {
  const keys = NEIGHBOUR_NAMES.map(
    (name) => sql`select ${name} as name, ${neighbourOf(view, key, name)} as id`,
  )
  return json<readonly StoredNeighbour[], SQL>(
    sql`(select json_group_array(json_object('name', k.name, 'hash', ${lowerHexOf(sql`r.hash`)},
        'time', ${sql.raw(producerTimestampOf('r'))}, 'state', r.state))
      from (${sql.join(keys, sql` union all `)}) k cross join reports r on r.id = k.id)`,
  )
}

function neighbourNamed(
  name: NeighbourName,
  neighbours: readonly StoredNeighbour[],
): NeighbourReport | null {
  const found = neighbours.find((neighbour) => neighbour.name === name)
  if (found === undefined) return null
  return { hash: found.hash, time: formatTimestamp(found.time), ...decodeState(found.state) }
}
