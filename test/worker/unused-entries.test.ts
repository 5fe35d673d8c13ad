/** Entries of dictionaries are deleted when nothing refers to them any more, and no sooner. */

import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteNode } from '../../worker/housekeeping/delete-node.ts'
import { deleteUnusedEntries } from '../../worker/housekeeping/unused-entries.ts'
import { DAY } from '../../worker/lib/time.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { Database } from '../../worker/store/database.ts'
import { wrongIn } from '../soundness.ts'
import { ask, countRows, post, request, store, textOf, type Answer } from './client.ts'
import { counting } from './database.ts'
import { errorLine } from './fleets.ts'
import { event, NOON, report, resource, type Payload } from './reports.ts'

const WEEK = 7 * DAY
/** Every test begins two years after the one before, where what that one left is over. */
let start = NOON
beforeEach(() => {
  start += 104 * WEEK
  at(0)
})

/** Sets the clock to so many weeks after the test's start. */
const at = (weeks: number): void => void vi.setSystemTime(start + weeks * WEEK)

/** Runs rounds as housekeeping does, until nothing is left to do. */
async function deleteUnused(settings: Readonly<Record<string, string>> = {}): Promise<number> {
  const database = Database.primary(env.DB)
  let sum = 0
  for (;;) {
    const done = await deleteUnusedEntries(database, readSettings({ ...settings }), Date.now())
    sum += done.deleted
    if (done.complete) return sum
  }
}

const purge = (certname: string) =>
  deleteNode(Database.primary(env.DB), certname, { mayContinue: () => true })

/** A run now, whose every name ends in `mark`. */
const run = (certname: string, mark: string, parts: Payload = {}): Payload => {
  const now = Date.now()
  const iso = (time: number): string => new Date(time).toISOString()
  return report({
    certname,
    start_time: iso(now - 10_000),
    end_time: iso(now - 500),
    producer_timestamp: iso(now),
    status: 'failed',
    environment: `environment ${mark}`,
    producer: `producer ${mark}`,
    puppet_version: `version ${mark}`,
    code_id: `code ${mark}`,
    cached_catalog_status: `cached ${mark}`,
    metrics: [{ category: 'time', name: `metric ${mark}`, value: 1 }],
    resources: [
      resource({
        resource_title: `title ${mark}`,
        file: `/file ${mark}`,
        events: [
          event({
            status: 'failure',
            property: `property ${mark}`,
            name: `event ${mark}`,
            message: `it broke like ${mark}`,
            timestamp: iso(now - 5000),
          }),
        ],
      }),
    ],
    ...parts,
  })
}

let further = 0
/** Stores entries with higher ids than all before: the highest of each dictionary stay. */
const storeHighest = () => store(run('another', `further-${String.fromCharCode(97 + further++)}`))

/** What the dictionaries hold of a mark: the number of its entries in each. */
async function entriesOf(mark: string): Promise<Record<string, number>> {
  const ends = (column: string): string => `${column} like '%${mark}'`
  return {
    strings: await countRows(`strings where ${ends('value')}`),
    resources: await countRows(`resources where ${ends('title')}`),
    metric_sets: await countRows(`metric_sets where names like '%${mark}"]]'`),
    causes: await countRows(`causes where ${ends('reason')}`),
    code_versions: await countRows(`code_versions where ${ends('version')}`),
  }
}
const ALL = { strings: 8, resources: 1, metric_sets: 1, causes: 1, code_versions: 1 }
/** All but what deleted days are counted by: the name of the environment, and the cause. */
const NONE = { strings: 1, resources: 0, metric_sets: 0, causes: 1, code_versions: 0 }

/** All that the service answers about a node. */
async function answersOf(certname: string): Promise<string[]> {
  const texts: string[] = []
  for (const path of ['reports', 'events', `nodes/${certname}`]) {
    const query = encodeURIComponent(JSON.stringify(['=', 'certname', certname]))
    const parameters = path.startsWith('nodes') ? '' : `?query=${query}`
    texts.push(await textOf(await request(`/pdb/query/v4/${path}${parameters}`)))
  }
  const { results } = await env.DB.prepare(
    `select c.reason, s.value from report_causes rc join causes c on c.id = rc.cause
     join reports r on r.id = rc.report join nodes n on n.id = r.node left join strings s on s.id = rc.file
     where n.certname = ?`,
  )
    .bind(certname)
    .all()
  return [...texts, JSON.stringify(results)]
}

describe('entries of a node that is gone', () => {
  it('are deleted after the longest age of reports and two weeks', async () => {
    await store(run('gone', 'alone'), run('keeps', 'both'))
    await purge('gone')
    at(3)
    await deleteUnused()
    expect(await entriesOf('alone')).toEqual(ALL)
    at(4.2)
    expect(await deleteUnused()).toBeGreaterThan(0)
    expect(await entriesOf('alone')).toEqual(NONE)
    expect(await entriesOf('both')).toEqual(ALL)
    expect(await wrongIn(env.DB)).toEqual({})
  })

  it('stay as long as another report names them, however seldom', async () => {
    await store(run('shares', 'shared'))
    at(2)
    await store(run('shares too', 'shared'))
    await storeHighest()
    await purge('shares')
    at(5)
    await deleteUnused()
    expect(await entriesOf('shared')).toEqual(ALL)
    await purge('shares too')
    at(10)
    await deleteUnused()
    expect(await entriesOf('shared')).toEqual(NONE)
  })

  it('never leave their ids to others', async () => {
    const highest = () => env.DB.prepare('select max(id) as id from strings').first<number>('id')
    await store(run('last', 'last'))
    const before = await highest()
    await purge('last')
    at(10)
    await deleteUnused()
    await store(run('next', 'next'))
    const ids = await env.DB.prepare("select id from strings where value like '%next'").all<{
      id: number
    }>()
    expect(ids.results.length).toBeGreaterThan(5)
    expect(Math.min(...ids.results.map(({ id }) => id))).toBeGreaterThan(before!)
  })

  it('come back with a report, though the isolate knew them as stored', async () => {
    await store(run('returns', 'again'))
    await storeHighest()
    const before = await entriesOf('again')
    await purge('returns')
    at(10)
    await deleteUnused()
    expect(await entriesOf('again')).toEqual(NONE)
    await store(run('returns', 'again'))
    expect(await entriesOf('again')).toEqual(before)
    const [row] = JSON.parse((await answersOf('returns'))[0]!) as Answer[]
    expect(row).toMatchObject({
      environment: 'environment again',
      producer: 'producer again',
      code_id: 'code again',
    })
  })
})

describe('entries of what is kept longer stay:', () => {
  it.each<[what: string, payload: () => Payload]>([
    ['the latest report of a silent node', () => run('silent', 'silent')],
    [
      'a report whose clock was years ahead',
      () => run('silent', 'ahead', { producer_timestamp: '2199-01-01T00:00:00.000Z' }),
    ],
    [
      'a report whose clock was years behind',
      () => run('silent', 'behind', { producer_timestamp: '1999-01-01T00:00:00.000Z' }),
    ],
    [
      'a failure that only a log line names',
      () =>
        run('silent', 'log', {
          resources: [],
          logs: [errorLine('it broke like log (file: /file log, line: 3)')],
        }),
    ],
    [
      'slow resources without events',
      () =>
        run('silent', 'slow', {
          resources: [],
          slowest_resources: [{ resource_type: 'Exec', resource_title: 'slow', seconds: 9 }],
        }),
    ],
  ])('%s', async (_, payload) => {
    await store(payload())
    const before = await answersOf('silent')
    for (const weeks of [4, 8, 12, 30]) {
      at(weeks)
      await deleteUnused()
    }
    expect(await answersOf('silent')).toEqual(before)
    expect(await wrongIn(env.DB)).toEqual({})
    await purge('silent')
  })

  it('environments that only facts and catalogs name', async () => {
    for (const [command, version] of [
      ['replace facts', 5],
      ['replace catalog', 9],
    ]) {
      const payload = { certname: 'factual', environment: `by ${command}`, producer: null }
      await post({ command, version, certname: 'factual' }, JSON.stringify(payload))
    }
    at(20)
    await deleteUnused()
    expect(await ask('/query/v4/nodes/factual')).toMatchObject({
      facts_environment: 'by replace facts',
      catalog_environment: 'by replace catalog',
    })
  })

  it('where reports are never deleted, ninety days', async () => {
    const settings = { REPORT_TTL: '0' }
    await store(run('for ever', 'kept'))
    await storeHighest()
    at(40)
    await deleteUnused(settings)
    expect(await entriesOf('kept')).toEqual(ALL)
    await purge('for ever')
    at(80)
    await deleteUnused(settings)
    expect(await entriesOf('kept')).toEqual(NONE)
  })

  it('a cause that a hook waits for', async () => {
    await store(run('watched', 'hooked'))
    const ofReason = env.DB.prepare("select name from causes where reason like '%hooked'")
    const name = await ofReason.first('name')
    await storeHighest()
    await env.DB.prepare(
      `insert into hooks (name, transition, hours, filter, cause, url, origin, secret, created, cursor)
       values ('waits', 'failed', 1, '', ?, '', '', '', 0, 0)`,
    )
      .bind(name)
      .run()
    await purge('watched')
    at(10)
    await deleteUnused()
    expect(await entriesOf('hooked')).toEqual({ ...NONE, causes: 1 })
    await env.DB.prepare('delete from hooks').run()
  })
})

describe('a round', () => {
  it('is one a week, and costs a row read between them', async () => {
    at(0)
    await deleteUnused()
    const { database, batches } = counting()
    const done = () => deleteUnusedEntries(Database.primary(database), readSettings({}), Date.now())
    expect(await done()).toEqual({ deleted: 0, complete: true })
    expect(batches()).toBe(1)
    at(1)
    await done()
    expect(batches()).toBeGreaterThan(3)
  })

  it('is done in steps of bounded size, and goes on where the run before stopped', async () => {
    await env.DB.prepare(
      `with recursive n (n) as (select 1 union all select n + 1 from n where n < 400000)
       insert into strings (kind, value, used) select 8, 'many ' || n, 0 from n`,
    ).run()
    at(10)
    const runs: boolean[] = []
    const database = Database.primary(env.DB)
    for (let complete = false; !complete; runs.push(complete)) {
      const before = database.usage.statements
      ;({ complete } = await deleteUnusedEntries(database, readSettings({}), Date.now()))
      expect(database.usage.statements - before).toBeLessThan(160)
    }
    expect(runs.length).toBeGreaterThan(1)
    expect(await countRows("strings where value like 'many %'")).toBe(1)
  })
})
