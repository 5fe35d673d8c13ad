/** Compares whole reports of both services. */

import type { Json } from '../../worker/lib/json.ts'
import { isRecord } from '../../worker/lib/lossless.ts'
import type { QueryService } from '../query-service.ts'
import { differencesOf, type Difference } from './differences.ts'
import type { Row, ComparedSpan } from './questions.ts'

/** Columns of a report that may differ → why. */
export const DECLARED: Readonly<Record<string, string>> = {
  receive_time: 'each service has its own',
  hash: 'the producer timestamp is part of it, and reports of Puppet itself have none',
  producer_timestamp: 'in a report that Puppet itself sent, the end of the run replaces it',
  producer: 'a report that Puppet itself sent does not say it: the name of the token replaces it',
  corrective_change: 'PuppetDB without Puppet Enterprise answers null',
}

const EVENT_DECLARED = ['report', 'report_receive_time', 'corrective_change']

/** Differences in up to `count` reports of PuppetDB, spread evenly over the span. */
export async function compareSamples(
  puppetdb: QueryService,
  here: QueryService,
  span: ComparedSpan,
  count: number,
): Promise<{ compared: number; differences: Difference[] }> {
  const runs = await runsOf(puppetdb, span)
  const step = Math.max(1, Math.floor(runs.length / count))
  const sample = runs.filter((_, index) => index % step === 0).slice(0, count)
  const differences: Difference[] = []
  for (const run of sample) {
    const [one, other] = await Promise.all([reportOf(puppetdb, run), reportOf(here, run)])
    const rows = (row: Row | null): Row[] => (row === null ? [] : [row])
    differences.push(...differencesOf(rows(one), rows(other), RUN, new Set(Object.keys(DECLARED))))
  }
  return { compared: sample.length, differences }
}

const RUN = ['certname', 'start_time', 'transaction_uuid']

const runsOf = async (service: QueryService, { from, until }: ComparedSpan): Promise<Row[]> =>
  (
    await service.rows('reports', {
      query: ['extract', RUN, ['and', ['>=', 'start_time', from], ['<', 'start_time', until]]],
      order_by: [{ field: 'start_time' }, { field: 'certname' }],
    })
  ).filter(isRecord)

/** A report with its parts as plain lists; null if the service has no report of the run. */
async function reportOf(service: QueryService, run: Row): Promise<Row | null> {
  const query: Json = ['and', ...RUN.map((name): Json => ['=', name, run[name] ?? null])]
  const [report] = (await service.rows('reports', { query })).filter(isRecord)
  if (report === undefined) return null
  const { resource_events: _, ...others } = report
  const hash = String(report['hash'])
  const events = (await service.rows('events', { query: ['=', 'report', hash] })).filter(isRecord)
  return {
    ...others,
    metrics: dataOf(report['metrics']),
    logs: dataOf(report['logs']).map(withTime),
    events: events.map((event) =>
      Object.fromEntries(Object.entries(event).filter(([name]) => !EVENT_DECLARED.includes(name))),
    ),
  }
}

const dataOf = (part: Json | undefined): readonly Json[] => {
  const data = isRecord(part) ? part['data'] : null
  return Array.isArray(data) ? (data as readonly Json[]) : []
}

/** The agent's zone has two spellings: `Z` and `+00:00`. */
const withTime = (log: Json): Json =>
  isRecord(log) && typeof log['time'] === 'string'
    ? { ...log, time: log['time'].replace(/\+00:00$/, 'Z') }
    : log
