/** `slow_resources`: where the time of runs went. */

import {
  slowListRead,
  SLOW_FACETS,
  type SlowListOptions,
} from '../../../insight/reports/slow-resources.ts'
import { readOne } from '../../../store/batch-read.ts'
import { asData, asTime, amount, DATA_NOTE, section } from '../text.ts'
import {
  CERTNAME,
  ENVIRONMENT,
  limitOf,
  numberIn,
  SINCE,
  textIn,
  viewFor,
  type Tool,
} from '../tool.ts'

export const SLOW_RESOURCES: Tool = {
  name: 'slow_resources',
  title: 'Slow resources',
  description:
    'Resources or resource types that took the most time of the runs in the span, with median and 95th percentile. Only reports that Puppet itself sends say how long resources took.',
  takes: {
    by: {
      type: 'string',
      enum: SLOW_FACETS,
      default: 'resource',
      description: 'What to group by.',
    },
    type: { type: 'string', description: 'Only resources of this type.' },
    certname: CERTNAME,
    since: SINCE,
    environment: ENVIRONMENT,
    limit: limitOf(15, 50),
  },
  async answer(source, given) {
    const by = (given['by'] ?? 'resource') as SlowListOptions['by']
    const list = await readOne(
      source.database,
      slowListRead(await viewFor(source, given), {
        by,
        type: textIn(given, 'type'),
        certname: textIn(given, 'certname'),
        limit: numberIn(given, 'limit', 15),
      }),
    )
    return [
      DATA_NOTE,
      `Read ${amount(list.reports, 'report')} back to ${asTime(list.oldest, source.now)}; ${list.timed} of them say how long resources took.`,
      ...section(
        'Most time in all first:',
        list.items.map((row) => {
          const title = row.resource_title
          const name = title === null ? row.resource_type : `${row.resource_type}[${title}]`
          return `${asData(name)}: ${row.seconds} s in ${amount(row.runs, 'run')} of ${amount(row.nodes, 'node')}; median ${row.p50} s, p95 ${row.p95} s, longest ${row.max} s`
        }),
      ),
    ]
  },
}
