/** Cloudflare's price for reports, by the list prices of Workers and D1 beyond the included amounts. */

const DOLLARS = {
  millionRowsWritten: 1,
  millionRowsRead: 0.001,
  gigabyteMonth: 0.75,
  millionRequests: 0.3,
  millionMilliseconds: 0.02,
  millionLogLines: 0.6,
} as const

const DAYS_KEPT = 14
const DAYS_PER_MONTH = 30

/** CPU of a report (docs/explanation/figures.md), and of its facts and a catalog of some 250 KB together. */
const REPORT_MILLISECONDS = 2
const OTHERS_MILLISECONDS = 10
/** What the terminus sends before a report: facts and a catalog, each of which writes its node's row. */
const OTHER_COMMANDS = 2
const ROWS_READ_BY_OTHERS = 5

/** The average resources of a report. */
export interface Taken {
  readonly rowsRead: number
  readonly rowsWritten: number
  readonly events: number
  /** Causes of failure, each of which is a row that goes with its report. */
  readonly causes: number
  readonly bytes: number
}

interface Item {
  readonly item: string
  /** Where reports alone are sent, and where facts and catalogs are sent with them. */
  readonly dollars: readonly [reports: number, runs: number]
}

const both = (dollars: number): Item['dollars'] => [dollars, dollars]

/** The bill for a million reports. Deleting counts one row per report, event and cause, and none for index entries. */
export const billOf = ({
  rowsRead,
  rowsWritten,
  events,
  causes,
  bytes,
}: Taken): readonly Item[] => [
  { item: 'rows written on arrival', dollars: both(rowsWritten * DOLLARS.millionRowsWritten) },
  {
    item: 'rows written on deletion',
    dollars: both((1 + events + causes) * DOLLARS.millionRowsWritten),
  },
  {
    item: 'rows written for facts and catalogs',
    dollars: [0, OTHER_COMMANDS * DOLLARS.millionRowsWritten],
  },
  {
    item: 'rows read',
    dollars: [
      rowsRead * DOLLARS.millionRowsRead,
      (rowsRead + OTHER_COMMANDS * ROWS_READ_BY_OTHERS) * DOLLARS.millionRowsRead,
    ],
  },
  {
    item: 'requests',
    dollars: [DOLLARS.millionRequests, (1 + OTHER_COMMANDS) * DOLLARS.millionRequests],
  },
  {
    item: 'CPU',
    dollars: [
      REPORT_MILLISECONDS * DOLLARS.millionMilliseconds,
      (REPORT_MILLISECONDS + OTHERS_MILLISECONDS) * DOLLARS.millionMilliseconds,
    ],
  },
  {
    item: 'log lines',
    dollars: [DOLLARS.millionLogLines, (1 + OTHER_COMMANDS) * DOLLARS.millionLogLines],
  },
  {
    item: `storage for ${DAYS_KEPT} days`,
    dollars: both((bytes / 1000) * DOLLARS.gigabyteMonth * (DAYS_KEPT / DAYS_PER_MONTH)),
  },
]

export const priceOf = (bill: readonly Item[]): Item['dollars'] => [
  bill.reduce((sum, { dollars }) => sum + dollars[0], 0),
  bill.reduce((sum, { dollars }) => sum + dollars[1], 0),
]
