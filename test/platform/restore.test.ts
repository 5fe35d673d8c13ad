/** A restore is noticed: what an isolate remembers of another past is thrown away before it is used. */

import { describe, expect, it } from 'vitest'
import { JSON_TYPE, parametersOf } from '../worker/client.ts'
import { tokenLine } from '../worker/closed.ts'
import { event, NOON, resource, type Payload } from '../worker/reports.ts'
import { wrongIn } from '../soundness.ts'
import { HOUR, reportAt } from './fleet.ts'
import { Platform } from './platform.ts'

/** A report in which everything that is stored once has a name of its own. */
const named = (name: string, hours: number): Payload =>
  reportAt('web1', NOON + hours * HOUR, {
    status: `status ${name}`,
    environment: `env ${name}`,
    producer: `producer ${name}`,
    code_id: `code ${name}`,
    metrics: [{ category: 'time', name: `metric ${name}`, value: 1 }],
    resources: [
      resource({
        resource_title: `/etc/${name}`,
        file: `/${name}.pp`,
        events: [event({ name, property: name })],
      }),
    ],
  })

/** The names in the report that `named` made, as they are answered. */
const NAMES = (name: string) => ({
  status: `status ${name}`,
  environment: `env ${name}`,
  producer: `producer ${name}`,
  code_id: `code ${name}`,
  metrics: { data: [{ name: `metric ${name}` }] },
  resource_events: {
    data: [{ resource_title: `/etc/${name}`, file: `/${name}.pp`, name, property: name }],
  },
})

const store = async (platform: Platform, payload: Payload): Promise<void> => {
  const { status, body } = await platform.submit(payload)
  expect([status, body]).toEqual([200, expect.any(String)])
}

const newest = async (platform: Platform, parameters: Payload = {}): Promise<Payload> => {
  const order_by = [{ field: 'producer_timestamp', order: 'desc' }]
  const [row] = await platform.ask('reports', { order_by, limit: 1, ...parameters })
  return row ?? {}
}

describe('after a restore', () => {
  it('a report keeps every name that the isolate thought stored', async () => {
    const platform = await Platform.deploy()
    await store(platform, named('first', 0))
    const before = await platform.snapshot()
    await store(platform, named('second', 1))
    await platform.restore(before)
    await store(platform, named('second', 2))
    expect(await newest(platform)).toMatchObject(NAMES('second'))
    expect(await wrongIn(platform.binding)).toEqual({})
  })

  it('a name that may be null is stored, though the isolate thought it stored', async () => {
    const platform = await Platform.deploy()
    const parts = (name: string): Payload => ({
      producer: `producer ${name}`,
      code_id: `code ${name}`,
      metrics: [{ category: 'time', name: `metric ${name}`, value: 1 }],
    })
    // Environment, status and resources are known to both pasts: no constraint notices the rest.
    await store(platform, reportAt('web1', NOON, parts('first')))
    const before = await platform.snapshot()
    await store(platform, reportAt('web1', NOON + HOUR, parts('second')))
    await platform.restore(before)
    await store(platform, reportAt('web1', NOON + 2 * HOUR, parts('second')))
    expect(await newest(platform)).toMatchObject({
      producer: 'producer second',
      code_id: 'code second',
      metrics: { data: [{ name: 'metric second' }] },
    })
  })

  it('ids that were given again are answered with their new names', async () => {
    const platform = await Platform.deploy()
    await store(platform, named('first', 0))
    const before = await platform.snapshot()
    await store(platform, named('second', 1))
    expect(await newest(platform)).toMatchObject(NAMES('second'))
    await platform.restore(before)
    // Another isolate stores other names, which get the same ids.
    await platform.elsewhere(() => store(platform, named('third', 2)))
    expect(await newest(platform)).toMatchObject(NAMES('third'))
  })

  it('patterns are matched anew, those of a restricted token too', async () => {
    const platform = await Platform.deploy({
      ACCESS: 'closed',
      TOKENS: [tokenLine('all', 'read,submit'), tokenLine('mine', 'read', 'certname=mine*')].join(
        '\n',
      ),
    })
    platform.token = 'all'
    await store(platform, reportAt('web1', NOON))
    const before = await platform.snapshot()
    await store(platform, reportAt('mine2', NOON + HOUR))
    platform.token = 'mine'
    expect(await platform.ask('reports')).toHaveLength(1)
    await platform.restore(before)
    platform.token = 'all'
    await platform.elsewhere(() => store(platform, reportAt('other2', NOON + HOUR)))
    platform.token = 'mine'
    expect(await platform.ask('reports')).toEqual([])
  })

  it('a page of the console and a panel refuse once at most, and are right then', async () => {
    const platform = await Platform.deploy()
    await store(platform, reportAt('web1', NOON))
    const before = await platform.snapshot()
    await store(platform, reportAt('mine2', NOON + HOUR))
    const path = `/insight/v1/nodes?${parametersOf({ filter: 'certname ~ "^mine"' })}`
    expect((await platform.request(path)).body).toContain('mine2')
    await platform.restore(before)
    await platform.elsewhere(() => store(platform, reportAt('other2', NOON + HOUR)))
    const answers = [await platform.request(path), await platform.request(path)]
    expect(answers.map(({ status }) => status).at(-1)).toBe(200)
    for (const { body } of answers) expect(body).not.toContain('other2')
  })

  it('facts and reports that follow each other are right, from any isolate', async () => {
    const platform = await Platform.deploy()
    const facts = (environment: string, hours: number) =>
      platform.request('/pdb/cmd/v1?command=replace_facts&version=5&certname=web1', {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({
          certname: 'web1',
          environment,
          producer_timestamp: new Date(NOON + hours * HOUR).toISOString(),
          values: {},
        }),
      })
    await store(platform, named('first', 0))
    const before = await platform.snapshot()
    await facts('env facts', 1)
    expect((await platform.ask('nodes'))[0]).toMatchObject({ facts_environment: 'env facts' })
    await platform.restore(before)
    await platform.elsewhere(() => store(platform, named('second', 1)))
    expect((await platform.ask('nodes'))[0]).toMatchObject({ report_environment: 'env second' })
    await facts('env facts', 3)
    expect((await platform.ask('nodes'))[0]).toMatchObject({ facts_environment: 'env facts' })
  })
})

describe('a replica that is behind', () => {
  it('is no restore: the isolate asks the primary, and keeps what it remembers', async () => {
    const platform = await Platform.deploy()
    await store(platform, named('first', 0))
    expect(await newest(platform)).toMatchObject(NAMES('first'))
    await platform.lag()
    await store(platform, named('second', 1))
    const lagging = await platform.request('/pdb/query/v4/reports')
    expect(JSON.parse(lagging.body)).toMatchObject([NAMES('first')])
    // The page, and the question to the primary.
    expect(lagging.batches).toBe(2)
    const bookmark = { 'x-d1-bookmark': '99999999' }
    const ask = () => platform.request('/pdb/query/v4/reports', { headers: bookmark })
    expect(JSON.parse((await ask()).body)).toHaveLength(2)
    expect((await ask()).batches).toBe(1)
  })

  it('is not believed where a restore has not reached it: the primary answers', async () => {
    const platform = await Platform.deploy()
    const query = ['~', 'certname', '^web']
    await store(platform, reportAt('web1', NOON))
    const before = await platform.snapshot()
    await store(platform, reportAt('evil2', NOON + HOUR))
    await platform.lag()
    await platform.restore(before)
    // Gets the id that evil2 has at the replica.
    await platform.elsewhere(() => store(platform, reportAt('web2', NOON + HOUR)))
    platform.evict()
    const ask = async (bookmark: string): Promise<unknown[]> => {
      const path = `/pdb/query/v4/nodes?${parametersOf({ query, order_by: [{ field: 'certname' }] })}`
      const { body } = await platform.request(path, { headers: { 'x-d1-bookmark': bookmark } })
      return (JSON.parse(body) as Payload[]).map(({ certname }) => certname)
    }
    expect(await ask('first-primary')).toEqual(['web1', 'web2'])
    expect(await ask('first-unconstrained')).toEqual(['web1', 'web2'])
  })
})
