/** Cloudflare's price for reports, by the list prices of Workers and D1 beyond the included amounts. */

const DOLLARS = {
  millionRowsWritten: 1,
  millionRowsRead: 0.001,
  gigabyteMonth: 0.75,
  millionRequests: 0.3,
} as const

const DAYS_KEPT = 14
const DAYS_PER_MONTH = 30

/** The average resources of a report. */
export interface Taken {
  readonly rowsRead: number
  readonly rowsWritten: number
  readonly events: number
  readonly bytes: number
}

interface Item {
  readonly item: string
  readonly dollars: number
}

/** The bill for a million reports. Deleting counts one row per report and event, and none for index entries. */
export const billOf = ({ rowsRead, rowsWritten, events, bytes }: Taken): readonly Item[] => [
  { item: 'rows written on arrival', dollars: rowsWritten * DOLLARS.millionRowsWritten },
  { item: 'rows written on deletion', dollars: (1 + events) * DOLLARS.millionRowsWritten },
  { item: 'rows read on arrival', dollars: rowsRead * DOLLARS.millionRowsRead },
  { item: 'requests', dollars: DOLLARS.millionRequests },
  {
    item: `storage for ${DAYS_KEPT} days`,
    dollars: (bytes / 1000) * DOLLARS.gigabyteMonth * (DAYS_KEPT / DAYS_PER_MONTH),
  },
]

export const priceOf = (bill: readonly Item[]): number =>
  bill.reduce((sum, { dollars }) => sum + dollars, 0)
