/** Writes many rows at once by SQL, copies of one stored report: storing them one by one would take minutes. */

import { RULES_VERSION } from '../../worker/report/reason.ts'
import { event, report, resource, type Payload } from '../worker/reports.ts'
import type { Platform } from './platform.ts'

export const DAY = 86_400_000
export const HOUR = 3_600_000

const iso = (time: number): string => new Date(time).toISOString()

/** A report of a time. */
export const reportAt = (certname: string, time: number, parts: Payload = {}): Payload =>
  report({
    certname,
    start_time: iso(time - 10_000),
    end_time: iso(time - 500),
    producer_timestamp: iso(time),
    ...parts,
  })

/** Failed events, each with a message of its own. */
export const failedEvents = (count: number): Payload => ({
  status: 'failed',
  resources: Array.from({ length: count }, (_, n) =>
    resource({
      resource_title: `/etc/${n}`,
      // Letters, because numbers are left out of a cause's name.
      events: [event({ status: 'failure', message: `no ${lettersOf(n)}` })],
    }),
  ),
})

const lettersOf = (n: number): string =>
  [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')

const COUNT = 'with recursive n (i) as (select 0 union all select i + 1 from n where i < ?1 - 1)'

/**
 * Copies a node's oldest report, with its events, to times before it: `count` copies, `step` ms apart. Their hours are open.
 *
 * @param causes how many of all that are stored each copy of a failed report has, each copy others
 */
export async function copyReports(
  platform: Platform,
  certname: string,
  { count, step, causes = 0 }: { count: number; step: number; causes?: number },
): Promise<void> {
  const node = `(select id from nodes where certname = '${certname}')`
  const columns = await platform.sql<{ name: string }>(
    "select name from pragma_table_info('reports')",
  )
  const values = columns.map(({ name }) =>
    name === 'id'
      ? 'r.id - (n.i + 1) * ?2 * 1024'
      : name === 'hash'
        ? 'randomblob(20)'
        : `r.${name}`,
  )
  const [{ template } = { template: 0 }] = await platform.sql<{ template: number }>(
    `select min(id) as template from reports where node = ${node}`,
  )
  await platform.sql(
    `${COUNT} insert into reports select ${values.join(', ')} from n, reports r where r.id = ?3`,
    count,
    step,
    template,
  )
  const eventColumns = await platform.sql<{ name: string }>(
    "select name from pragma_table_info('events')",
  )
  const eventValues = eventColumns.map(({ name }) => (name === 'report' ? 'c.id' : `e.${name}`))
  const copies = `reports c where c.node = ${node} and c.id < ?1`
  await platform.sql(
    `insert into events select ${eventValues.join(', ')} from events e, ${copies} and e.report = ?1`,
    template,
  )
  await platform.sql(
    `insert or ignore into open_hours (hour) select distinct c.id / ${1024 * HOUR} from ${copies}`,
    template,
  )
  if (causes > 0) {
    await platform.sql(
      `with recursive k (i) as (select 0 union all select i + 1 from k where i < ?2 - 1)
       insert into report_causes (cause, report, events)
       select all_causes.first + (c.place * ?2 + k.i) % all_causes.size, c.id, 0
       from (select min(id) as first, count(*) as size from causes) all_causes,
         (select id, row_number() over (order by id) as place from ${copies}) c, k`,
      template,
      causes,
    )
    await platform.sql(
      'update causes set first = min(first, coalesce((select min(report) / 1024 from report_causes where cause = id), first))',
    )
  }
}

/** Stores causes that no report has. */
export const writeCauses = (platform: Platform, count: number): Promise<unknown> =>
  platform.sql(
    `${COUNT} insert into causes (name, reason, first, rules) select printf('%016x', i), 'reason ' || i, 0, ${RULES_VERSION} from n`,
    count,
  )

/** Stores nodes that sent facts at a time and no report. */
export const writeNodes = (platform: Platform, count: number, time: number): Promise<unknown> =>
  platform.sql(
    `${COUNT} insert into nodes (certname, facts_timestamp) select 'node-' || i, ?2 from n`,
    count,
    time,
  )
