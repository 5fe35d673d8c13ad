/** How much is kept and answered: what happens at the number, and on both sides of it. */

import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { answerLines, joinedLines } from '../../worker/http/mcp/text.ts'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { deleteReports } from '../../worker/housekeeping/delete-reports.ts'
import { groupHours } from '../../worker/housekeeping/group-hours.ts'
import { deleteOldKeptDays } from '../../worker/housekeeping/kept-days.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { deleteOldAcknowledgements } from '../../worker/store/acknowledgements.ts'
import { firstKey } from '../../worker/sql/encoding.ts'
import { Database } from '../../worker/store/database.ts'
import { addDelivery } from '../../worker/store/deliveries.ts'
import { recordRefusals } from '../../worker/store/refusals.ts'
import { saveView } from '../../worker/store/saved-views.ts'
import { ask, countRows, request, store } from '../worker/client.ts'
import { at, event, NOON, report, resource } from '../worker/reports.ts'
import { edge, testEdges } from './edge.ts'

beforeAll(() => void vi.setSystemTime(NOON))

const database = (): Database => Database.primary(env.DB)
/** `n` from 1 to ?1. */
const NUMBERS =
  'with recursive n (n) as (select 1 union all select n + 1 from n where n < ?1) insert into'
/** Fills a table with so many rows, and no others. */
async function fill(table: string, rows: number, values: string): Promise<void> {
  await env.DB.exec(`delete from ${table}`)
  if (rows > 0) await env.DB.prepare(`${NUMBERS} ${table} ${values} from n`).bind(rows).run()
}

const addHook = async (name: string): Promise<string> => {
  const body = JSON.stringify({ transition: 'failed', url: 'https://hooks.example.com/x' })
  const response = await request(`/admin/v1/hooks/${name}`, { method: 'PUT', body })
  const text = await response.text()
  return response.ok ? 'added' : text
}
const HOOKS = `(name, transition, hours, filter, cause, url, origin, secret, created, cursor)
  select 'h' || n, 'failed', 4, '', '', 'https://hooks.example.com/x', '', 'x', 0, 0`

const refusal = (sender: string, certname: string) => ({ sender, certname, reason: 'x', count: 1 })
const REFUSALS = (sender: string) => `(sender, certname, reason, first, last, count)
  select ${sender}, 'web' || n, 'x', n, n, 1`

let runsStored = 0
const BYTES_OF_A_RUN = 7

/** Two nodes that failed for three seconds in turn, and one that fails since the last of them did. */
const TURNS = [
  ['turn-b', -6, 'failed'],
  ['turn-a', -4, 'failed'],
  ['turn-b', -3, 'unchanged'],
  ['turn-c', -2, 'failed'],
  ['turn-a', -1, 'unchanged'],
] as const
let turnsStored = 0
let copied: readonly number[] = []

/** Stores the turns, and copies of them every four seconds before: so many of both nodes. */
async function storeTurns(count: number): Promise<void> {
  if (turnsStored === 0) {
    await env.DB.exec('delete from reports; delete from nodes')
    for (const [certname, seconds, status] of TURNS) {
      const time = at(seconds * 1000)
      const times = { start_time: time, end_time: time, producer_timestamp: time }
      const message = 'The mirror is down'
      const resources = [resource({ events: [event({ status: 'failure', message })] })]
      const failed = status === 'failed' ? { resources } : {}
      await store(report({ certname, status, ...times, ...failed }))
    }
    turnsStored = 1
    const both =
      "select id from reports where node <> (select id from nodes where certname = 'turn-c')"
    copied = (await env.DB.prepare(both).all<{ id: number }>()).results.map(({ id }) => id)
  }
  const columns = await env.DB.prepare("select name from pragma_table_info('reports')").all<{
    name: string
  }>()
  const names = columns.results.map(({ name }) => name)
  const key = `(n.n + ${turnsStored - 1}) * ${firstKey(4000)}`
  const values = names.map((name) =>
    name === 'id' ? `r.id - ${key}` : name === 'hash' ? 'randomblob(20)' : `r.${name}`,
  )
  const last = `r.id in (${copied.join()})`
  await env.DB.batch(
    [
      `reports (${names.join()}) select ${values.join()} from n, reports r where ${last}`,
      `report_causes (cause, report, events) select c.cause, r.id - ${key}, 1 from n, reports r, report_causes c
        where ${last} and c.report = r.id`,
    ].map((copies) => env.DB.prepare(`${NUMBERS} ${copies}`).bind(count - turnsStored)),
  )
  turnsStored = count
}

/** Deletes a failed run of a day that has the causes of so many others. @returns how many it has then */
async function deleteFailedRun(causes: number): Promise<number> {
  const time = at(-40 * DAY - causes)
  const resources = [resource({ events: [event({ status: 'failure', message: 'no more' })] })]
  const times = { start_time: time, end_time: time, producer_timestamp: time }
  await store(report({ certname: 'kept', status: 'failed', ...times, resources }))
  await store(report({ certname: 'kept' }))
  const day = Math.floor(Date.parse(time) / DAY)
  await fill(
    'cause_days',
    causes,
    `(day, cause, environment, runs, nodes, first, last) select ${day}, 'c' || n, 1, 1, 1, 0, 0`,
  )
  const key = firstKey(Date.parse(time))
  const guard = { sql: '1', params: [] }
  expect(await deleteReports(database(), 'report', [{ key, events: 1 }], guard)).toBe(1)
  return countRows('cause_days')
}

/** Deletes a report that has events of so many numbers. @returns how many events are left, and reports, and the round trips */
async function deleteReportOf(events: number): Promise<readonly number[]> {
  const time = at(-50 * DAY - events)
  const times = { start_time: time, end_time: time, producer_timestamp: time }
  await store(report({ certname: 'large', ...times, resources: [resource({ events: [event()] })] }))
  const key = firstKey(Date.parse(time))
  const columns = await env.DB.prepare("select name from pragma_table_info('events')").all<{
    name: string
  }>()
  const names = columns.results.map(({ name }) => name)
  const values = names.map((name) => (name === 'n' ? 'n.n' : `e.${name}`))
  await env.DB.prepare(
    `${NUMBERS} events (${names.join()}) select ${values.join()} from n, events e where e.report = ${key}`,
  )
    .bind(events - 1)
    .run()
  await env.DB.exec(`update reports set events = ${events} where id = ${key}`)
  const guard = { sql: '1', params: [] }
  const deleting = database()
  await deleteReports(deleting, 'report', [{ key, events }], guard)
  return [
    await countRows(`events where report = ${key}`),
    await countRows(`reports where id = ${key}`),
    deleting.usage.roundTrips,
  ]
}

testEdges('what is kept', [
  edge({
    number: 'housekeeping/batches.ts MOST_DELETED_EVENTS',
    of: 'events of a report that is deleted: how many are left, and reports, and round trips',
    cases: [
      [4999, [0, 0, 1]],
      [5000, [0, 0, 1]],
      [5001, [0, 0, 2]],
      [10_001, [0, 0, 3]],
    ],
    drive: deleteReportOf,
  }),
  edge({
    number: 'housekeeping/kept-days.ts MOST_CAUSES_OF_DAY',
    of: 'causes are kept of a day, and a run with another one is deleted',
    cases: [
      [98, 99],
      [99, 100],
      [100, 100],
      [101, 101],
    ],
    drive: deleteFailedRun,
  }),
  edge({
    number: 'housekeeping/kept-days.ts LONGEST_KEPT_DAYS',
    of: 'days old are the numbers of deleted runs, of which housekeeping keeps a day, a cause, and what is known',
    cases: [
      [1829, [1, 1, null]],
      [1830, [1, 1, null]],
      [1831, [0, 0, 1830]],
    ],
    async drive(days: number) {
      const today = Math.floor(NOON / DAY)
      await env.DB.exec('delete from kept_since')
      await fill('kept_days', 1, `(day, groups) select ${today - days}, '[]'`)
      await fill('cause_days', 1, `select ${today - days}, 'c', 1, 1, 1, 0, 0`)
      await database().batch(deleteOldKeptDays(NOON))
      const since = await env.DB.prepare('select day from kept_since').first<number>('day')
      await env.DB.exec('delete from kept_since')
      return [await countRows('kept_days'), await countRows('cause_days'), since && today - since]
    },
  }),
  edge({
    number: 'notify/hooks.ts MOST_HOOKS',
    of: 'hooks are there, and another is added',
    cases: [
      [18, 'added'],
      [19, 'added'],
      [20, 'There are 20 hooks already, the maximum.'],
      [21, 'There are 20 hooks already, the maximum.'],
    ],
    async drive(hooks: number) {
      await fill('hooks', hooks, HOOKS)
      return addHook('another')
    },
  }),
  edge({
    number: 'store/deliveries.ts MOST_DELIVERIES',
    of: 'messages of a hook are there, and another is added',
    cases: [
      [48, 49],
      [49, 50],
      [50, 50],
    ],
    async drive(messages: number) {
      await fill('hooks', 1, HOOKS)
      await fill(
        'deliveries',
        messages,
        `(hook, message, title, body, created, attempts) select 'h1', 'm' || n, '', '', 0, 0`,
      )
      const message = { message: 'another', title: '', body: '' }
      await database().batch(addDelivery('h1', message, NOON, null))
      return countRows('deliveries')
    },
  }),
  edge({
    number: 'store/refusals.ts MOST_REFUSALS',
    of: 'refused commands of three senders are there, and another is refused',
    cases: [
      [198, 199],
      [199, 200],
      [200, 200],
    ],
    async drive(refusals: number) {
      await fill('refusals', refusals, REFUSALS("'sender' || (n % 3)"))
      await recordRefusals(database(), [refusal('another', 'web')], NOON)
      return countRows('refusals')
    },
  }),
  edge({
    number: 'store/refusals.ts MOST_OF_A_SENDER',
    of: 'refused commands of a sender are there, and another is refused',
    cases: [
      [98, 99],
      [99, 100],
      [100, 100],
    ],
    async drive(refusals: number) {
      await fill('refusals', refusals, REFUSALS("'one'"))
      await recordRefusals(database(), [refusal('one', 'another')], NOON)
      return countRows('refusals')
    },
  }),
  edge({
    number: 'store/saved-views.ts MOST_VIEWS',
    of: 'views are saved, and another is saved',
    cases: [
      [198, true],
      [199, true],
      [200, false],
      [201, false],
    ],
    async drive(views: number) {
      await fill('saved_views', views, "(title, address, saved) select 'v' || n, '/', n")
      return saveView(database(), { title: 'another', address: '/', saved: NOON })
    },
  }),
  edge({
    number: 'schema/acknowledgement.ts keptDays',
    of: 'days ago an acknowledgement ended: how many of one are kept',
    cases: [
      [29, 1],
      [30, 1],
      [31, 0],
    ],
    async drive(days: number) {
      await fill('causes', 1, "(id, name, reason, first, used, rules) select 1, 'c', '', 0, 0, 1")
      await fill(
        'acknowledgements',
        1,
        `(cause, note, author, created, until, nodes) select 'c', '', '', 0, ${NOON - days * DAY}, 1`,
      )
      await database().batch([deleteOldAcknowledgements(NOON)])
      return countRows('acknowledgements')
    },
  }),
  edge({
    number: 'store/runs.ts MOST_RUNS',
    of: 'runs of a node: how many are stored in its strip, and answered',
    cases: [
      [31, [31, 31]],
      [32, [32, 32]],
      [33, [32, 32]],
    ],
    async drive(runs: number) {
      for (; runsStored < runs; runsStored++) {
        const time = runsStored * 60_000
        const times = { start_time: at(time - 10), end_time: at(time - 5) }
        const parts = { transaction_uuid: null, producer_timestamp: at(time), ...times }
        await store(report({ certname: 'runs', ...parts }))
      }
      const bytes = await env.DB.prepare(
        "select length(runs) as bytes from nodes where certname = 'runs'",
      ).first<number>('bytes')
      const { items } = await ask('/insight/v1/nodes', { q: 'runs', runs: 32 })
      return [bytes! / BYTES_OF_A_RUN, items[0].strip.length]
    },
  }),
])

let copiesStored = 0

testEdges('what is answered', [
  edge({
    number: 'insight/reports/slow-resources.ts MOST_READ',
    of: 'copies of a report are there with it: reports that are read',
    cases: [
      [9_998, 9_999],
      [9_999, 10_000],
      [10_000, 10_000],
    ],
    async drive(copies: number) {
      const times = { start_time: at(-10), end_time: at(-5), producer_timestamp: at(0) }
      const slowest = [{ resource_type: 'Exec', resource_title: 'x', seconds: 1 }]
      if (copiesStored === 0) {
        await env.DB.exec('delete from reports; delete from nodes')
        await store(report({ certname: 'slow', ...times, slowest_resources: slowest }))
      }
      const columns = await env.DB.prepare("select name from pragma_table_info('reports')").all<{
        name: string
      }>()
      const names = columns.results.map(({ name }) => name)
      const values = names.map((name) =>
        name === 'id'
          ? `r.id - (n.n + ${copiesStored}) * 1024`
          : name === 'hash'
            ? 'randomblob(20)'
            : `r.${name}`,
      )
      const slow = '(select * from reports order by id desc limit 1)'
      await env.DB.prepare(
        `${NUMBERS} reports (${names.join()}) select ${values.join()} from n, ${slow} r`,
      )
        .bind(copies - copiesStored)
        .run()
      copiesStored = copies
      return (await ask('/insight/v1/slow')).reports
    },
  }),
  edge({
    number: 'outcomes/stretch.ts MOST_REPORTS_OF_STRETCH',
    of: 'failed runs of two nodes in turn before the run of the node that fails: the seconds since',
    cases: [
      [9998, 4 * 4998 + 6],
      [10_000, 4 * 4999 + 6],
      [10_002, null],
    ],
    async drive(runs: number) {
      await storeTurns(runs / 2)
      const { items } = await ask('/insight/v1/causes')
      return items[0].since === null ? null : (NOON - Date.parse(items[0].since)) / 1000
    },
  }),
  edge({
    number: 'http/mcp/text.ts MOST_CHARACTERS',
    of: 'characters of a line, which has an end: whether the answer is whole',
    cases: [
      [5_998, true],
      [5_999, true],
      [6_000, false],
    ],
    drive: (length: number) => !joinedLines(['x'.repeat(length)]).includes('left out'),
  }),
  edge({
    number: 'http/mcp/text.ts LONGEST_TEXT',
    of: 'characters of a message: how many are shown, and whether it is whole',
    cases: [
      [299, [299, true]],
      [300, [300, true]],
      [301, [300, false]],
    ],
    drive: (length: number) =>
      shown(answerLines({ message: 'x'.repeat(length) }, NOON, 9000).join('')),
  }),
  edge({
    number: 'http/mcp/text.ts LONGEST_NAME',
    of: 'characters of a name: how many are shown, and whether it is whole',
    cases: [
      [999, [999, true]],
      [1000, [1000, true]],
      [1001, [1000, false]],
    ],
    drive: (length: number) =>
      shown(answerLines({ certname: 'x'.repeat(length) }, NOON, 9000).join('')),
  }),
  edge({
    number: 'http/commands/submit-report.ts MOST_YAML_BYTES',
    of: 'bytes of a report in YAML, which is none',
    cases: [
      [14_680_063, 400],
      [14_680_064, 400],
      [14_680_065, 413],
    ],
    async drive(length: number) {
      const headers = { 'content-type': 'application/x-yaml' }
      // What can't be read is refused at its first character.
      const body = new Uint8Array(length).fill(0x7d)
      const response = await request('/reports', { method: 'POST', headers, body })
      await response.text()
      return response.status
    },
  }),
])

function shown(quoted: string): readonly [length: number, whole: boolean] {
  return [quoted.replace(/[^x]/g, '').length, !quoted.includes('…')]
}

it('a stretch that lasted when an hour was counted may become longer, and keeps its beginning', async () => {
  const turns = 6000
  await storeTurns(turns)
  await env.DB.exec(
    'insert or ignore into open_hours (hour) select distinct (id >> 10) / 3600000 from reports',
  )
  for (const now of [NOON - 4 * HOUR, NOON + HOUR])
    await groupHours(database(), now, await closeHours(database(), now))
  const { items } = await ask('/insight/v1/causes')
  expect((NOON - Date.parse(items[0].since)) / 1000).toBe(4 * (turns - 1) + 6)
})
