/** History gets causes and states by new rules: what an older version stored ends as if today's had stored it. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { runHousekeeping } from '../../worker/housekeeping/housekeeping.ts'
import { regroupFailures } from '../../worker/housekeeping/regroup.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { causeName, reasonOf } from '../../worker/report/reason.ts'
import { Database } from '../../worker/store/database.ts'
import { wrongIn } from '../soundness.ts'
import { ask, type Answer } from './client.ts'
import { errorLine, runsOf, storeInTime } from './fleets.ts'
import { event, NOON, resource, type Payload } from './reports.ts'

const failing = (type: string, title: string, message: string): Payload => ({
  status: 'failed',
  resources: [
    resource({
      resource_type: type,
      resource_title: title,
      events: [event({ status: 'failure', message })],
    }),
  ],
})
const exec = (title: string): Payload =>
  failing('Exec', title, `'/bin/${title}' returned 1 instead of one of [0]`)
const factErrors: Payload = {
  status: 'unchanged',
  logs: [
    errorLine('no such fact', { source: 'Facter' }),
    errorLine('Applied catalog in 2.1 seconds', { level: 'notice' }),
  ],
}
const quietFailure: Payload = { ...exec('quiet'), status: 'changed' }

/** Everything that the rules decide, as the tables have it. */
async function grouped() {
  const queries = {
    causes: 'select name, reason, first, rules from causes order by name',
    hits: `select c.name, rc.report, rc.events, rc.event, rc.log, rc.resource, rc.file, rc.line
      from report_causes rc join causes c on c.id = rc.cause order by 1, 2`,
    states: 'select id, state from reports order by id',
    nodes: 'select certname, state, good, newest, hex(runs) as runs from nodes order by certname',
  }
  const tables = Object.entries(queries).map(async ([name, sql]) => {
    const { results } = await env.DB.prepare(sql).all()
    return [name, results] as const
  })
  return Object.fromEntries(await Promise.all(tables))
}

/** Puts the tables into the state in which the first rules left them: one cause for all Execs, facts that fail runs. */
async function asBefore(): Promise<void> {
  const statements = [
    'delete from report_causes',
    'delete from causes',
    "insert into causes (id, name, reason, first, rules) values (1, 'aaaaaaaaaaaaaaaa', '‹q› returned ‹n›', 0, 1), (2, 'bbbbbbbbbbbbbbbb', 'no such fact', 0, 1)",
    'update reports set state = 11 where state = 32',
    'update reports set state = 1 where state = 11 and failures > 0',
    'insert into report_causes (cause, report, events, event) select 1, id, 1, 0 from reports where state = 3',
    'insert into report_causes (cause, report, events, log) select 2, id, 0, 0 from reports where state = 11',
    'update nodes set state = (select state from reports where id = latest)',
  ]
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)))
}

const housekeeping = () => runHousekeeping(Database.primary(env.DB), readSettings(env), NOON)

let stored: Awaited<ReturnType<typeof grouped>>
beforeAll(async () => {
  await storeInTime(
    ...['migrate', 'reload', 'backup'].flatMap((title) =>
      runsOf(`${title}-1`, '-FF', 0, {}).map((run) =>
        run['status'] === 'failed' ? { ...run, ...exec(title) } : run,
      ),
    ),
    ...runsOf('facts-1', '---', 0, factErrors),
    ...runsOf('quiet-1', 'C', 0, quietFailure),
  )
  stored = await grouped()
  await asBefore()
  await env.DB.prepare(
    `insert into hooks (name, transition, hours, filter, cause, url, origin, secret, created, cursor)
    values ('old', 'failed', 4, '', 'aaaaaaaaaaaaaaaa', 'https://x.example', '', '', 0, 0)`,
  ).run()
  await env.DB.prepare(
    `insert into acknowledgements (cause, note, author, created, until, nodes) values ('aaaaaaaaaaaaaaaa', 'mine', 'ann', 0, ?1, 3)`,
  )
    .bind(NOON + 3_600_000)
    .run()
})

describe('housekeeping', () => {
  it('gives history the causes and states that it would have if it arrived today', async () => {
    const result = await housekeeping()
    expect(result?.reportsRegrouped).toBe(10)
    expect(await grouped()).toEqual(stored)
    expect(await wrongIn(env.DB)).toEqual({})
  })

  it('shows each failure under its own name, and fact errors as no failure', async () => {
    const { items } = await ask('/insight/v1/causes')
    expect(items.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
      'Exec[backup] returned 1',
      'Exec[migrate] returned 1',
      'Exec[quiet] returned 1',
      'Exec[reload] returned 1',
    ])
    const nodes = await ask('/insight/v1/nodes', { filter: 'certname = "facts-1"' })
    expect(nodes.items[0].run).toEqual({
      state: 'unchanged',
      noop: false,
      derived: false,
      fact_errors: true,
    })
  })

  it('lets a hook follow the cause that it names', async () => {
    const hook = await env.DB.prepare("select cause from hooks where name = 'old'").first<string>(
      'cause',
    )
    const { items } = await ask('/insight/v1/causes')
    expect(items.map(({ cause }: { cause: string }) => cause)).toContain(hook)
  })

  it('lets an acknowledgement follow it, too', async () => {
    const { items } = await ask('/insight/v1/causes')
    const notes = items.flatMap(({ acknowledged }: Answer) => acknowledged?.note ?? [])
    expect(notes).toEqual(['mine'])
  })

  it('costs a look once history is grouped', async () => {
    const database = Database.primary(env.DB)
    expect(await regroupFailures(database, NOON)).toBe(0)
    const { roundTrips, rowsRead, rowsWritten } = database.usage
    // One of them is the guard against a restored database.
    expect({ roundTrips, rowsRead, rowsWritten }).toEqual({
      roundTrips: 1,
      rowsRead: 4,
      rowsWritten: 0,
    })
  })
})

describe('a cause that was seen before its reports were deleted', () => {
  const LONG_AGO = NOON - 400 * 86_400_000
  const nameOfToday = causeName(
    reasonOf('E: Unable to locate package x', { certname: '', resource: null }).key,
  )

  beforeAll(async () => {
    await asBefore()
    const remember = (name: string) =>
      `insert into sightings (kind, name, environment, first, last) values (1, '${name}', 'production', ${LONG_AGO}, ${LONG_AGO})`
    const statements = [
      'delete from regrouping',
      remember('aaaaaaaaaaaaaaaa'),
      "insert into causes (id, name, reason, first, rules) values (3, 'cccccccccccccccc', 'E: Unable to locate package x', 0, 1)",
      remember('cccccccccccccccc'),
      `insert into cause_days (day, cause, environment, runs, nodes, first, last)
        values (1, 'cccccccccccccccc', 1, 3, 2, 5, 9), (1, '${nameOfToday}', 1, 4, 3, 7, 8), (2, 'dddddddddddddddd', 1, 1, 1, 1, 1)`,
    ]
    await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)))
    await housekeeping()
  })

  it('is not new by its name of today', async () => {
    const { items } = await ask('/insight/v1/causes')
    const known = items.filter(({ reason }: Answer) => !/quiet/.test(reason))
    expect(known.map((item: Answer) => [item.first_seen, item.new])).toEqual(
      Array.from({ length: 3 }, () => [new Date(LONG_AGO).toISOString(), false]),
    )
  })

  it('is known by its name of today when it comes back', async () => {
    const first = await env.DB.prepare('select first from sightings where name = ?1')
      .bind(nameOfToday)
      .first('first')
    expect(first).toBe(LONG_AGO)
  })

  it('has the days of its deleted runs by its name of today', async () => {
    const { results } = await env.DB.prepare(
      'select day, cause, runs, nodes, first, last from cause_days order by day',
    ).all()
    expect(results).toEqual([
      { day: 1, cause: nameOfToday, runs: 7, nodes: 3, first: 5, last: 9 },
      { day: 2, cause: 'dddddddddddddddd', runs: 1, nodes: 1, first: 1, last: 1 },
    ])
  })
})

describe('a run whose events or logs were deleted', () => {
  /** How many reports of a node have a cause. */
  const reportsOf = (certname: string, cause: string) =>
    env.DB.prepare(
      `select count(*) as reports from report_causes rc join causes c on c.id = rc.cause
      join reports r on r.id = rc.report join nodes n on n.id = r.node where certname = ?1 and name = ?2`,
    )
      .bind(certname, cause)
      .first<number>('reports')

  beforeAll(async () => {
    await asBefore()
    const of = (certname: string) =>
      `select id from reports where node = (select id from nodes where certname = '${certname}')`
    const statements = [
      'delete from regrouping',
      `delete from events where report in (${of('migrate-1')})`,
      `update reports set events = 0 where id in (${of('migrate-1')})`,
      `update reports set body = x'' where id in (${of('facts-1')})`,
    ]
    await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)))
    await housekeeping()
  })

  it.each([
    ['migrate-1', 'aaaaaaaaaaaaaaaa', 2],
    ['facts-1', 'bbbbbbbbbbbbbbbb', 3],
    ['reload-1', 'aaaaaaaaaaaaaaaa', 0],
  ])('%s keeps the cause %s in %i reports', async (certname, cause, reports) => {
    expect(await reportsOf(certname, cause)).toBe(reports)
  })
})
