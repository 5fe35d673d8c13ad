/** One cause: how far it reaches, since when, and which code it began with. */

import { NotFound } from '../../lib/errors.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { codeVersionOf } from '../../report/code-version.ts'
import { HOUR } from '../../schema/clocks.ts'
import type { Row } from '../../store/database.ts'
import {
  causeHead,
  causeNodes,
  causeResources,
  causeSpread,
  causeVersions,
} from './cause-page-sql.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { lastHoursOf } from '../buckets.ts'
import { momentOf } from '../key-time.ts'
import { sampleOf } from './cause-sample.ts'
import type { CauseOptions, CausePage } from '../shapes.ts'
import type { View } from '../view.ts'

export const askCause = (
  view: View,
  name: string,
  { limit }: CauseOptions,
): BatchRead<CausePage> => ({
  statements: [
    causeHead(view, name),
    causeSpread(view, name),
    causeResources(view, name, limit),
    causeVersions(view, name),
    causeNodes(view, name, limit),
  ],
  read: ([heads, spread, resources, versions, nodes]) => {
    const [head] = heads!
    if (!head) throw new NotFound('cause', name)
    const [cause, reason, affected, reports, events, first, last] = head
    return {
      cause: cause as string,
      reason: reason as string,
      nodes: affected as number,
      reports: reports as number,
      events: events as number,
      first_seen: formatTimestamp(first as number),
      last_seen: momentOf(last as number),
      new: (first as number) >= view.since,
      ...sampleOf(head.slice(11), reason as string),
      hours: hoursOf(view, of('hour', spread!)),
      environments: of('environment', spread!).map(([environment, count]) => ({
        environment: environment as string,
        nodes: count as number,
      })),
      began_with: beganWith(versions!),
      resources: resources!.map(([resource, file, line, count]) => ({
        resource: (resource ?? 'catalog') as string,
        file: file as string | null,
        line: line as number | null,
        events: count as number,
      })),
      affected: nodes!.map(affectedOf),
    }
  },
})

/** Rows of causeSpread that say the same kind of thing, without its name. */
const of = (what: string, rows: readonly Row[]): Row[] =>
  rows.filter(([name]) => name === what).map((row) => row.slice(1))

function hoursOf(view: View, rows: readonly Row[]): CausePage['hours'] {
  const counted = new Map(rows as readonly [number, number][])
  return lastHoursOf(view).map((hour) => ({
    start: formatTimestamp(hour * HOUR),
    reports: counted.get(hour) ?? 0,
  }))
}

function beganWith(rows: readonly Row[]): CausePage['began_with'] {
  const nodes = new Map<string, number>()
  for (const [codeId, configurationVersion, count] of rows) {
    const version = codeVersionOf({
      codeId: codeId as string | null,
      configurationVersion: configurationVersion as string,
    })
    if (version !== null) nodes.set(version, (nodes.get(version) ?? 0) + (count as number))
  }
  return [...nodes]
    .map(([code_version, count]) => ({ code_version, nodes: count }))
    .sort((one, other) => other.nodes - one.nodes)
}

const affectedOf = ([certname, first, last, reports, hash, still]: Row) => ({
  certname: certname as string,
  first: momentOf(first as number),
  last: momentOf(last as number),
  reports: reports as number,
  report: hash as string,
  still: still === 1,
})
