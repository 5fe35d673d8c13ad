/** One node: its runs, and where it failed since when and why. */

import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp } from '../../lib/time.ts'
import type { Row } from '../../store/database.ts'
import { failingSince, latestOf, oneNode } from './node-page-sql.ts'
import { causesOfReport } from '../causes/report-causes.ts'
import { lastReports } from '../reports/report-row.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { momentOf } from '../key-time.ts'
import { nodeRow } from './node-list.ts'
import { reportCause } from '../reports/report-page.ts'
import { reportRow } from '../reports/report-list.ts'
import type { NodeOptions, NodePage } from '../shapes.ts'
import type { View } from '../view.ts'

export const askNode = (
  view: View,
  certname: string,
  { runs }: NodeOptions,
): BatchRead<NodePage> => ({
  statements: [
    oneNode(view, certname),
    lastReports(view, certname, runs),
    failingSince(view, certname),
    causesOfReport(latestOf(view, certname)),
  ],
  read: ([found, reports, failing, causes]) => {
    const [row] = found!
    if (!row) throw new NotFound('node', certname)
    const { strip: _, ...node } = nodeRow(row, 0)
    return {
      ...node,
      failing: node.run?.state === 'failed' ? failingOf(failing![0]!) : null,
      last_good_report: row[19] as string | null,
      deactivated: timeOf(row[17]),
      expired: timeOf(row[18]),
      runs: reports!.map(reportRow).reverse(),
      causes: causes!.map(reportCause),
    }
  },
})

const timeOf = (time: unknown): string | null =>
  time === null ? null : formatTimestamp(time as number)

const failingOf = ([first, hash, runs]: Row): NodePage['failing'] =>
  first === null
    ? null
    : { since: momentOf(first as number), report: hash as string, runs: runs as number }
