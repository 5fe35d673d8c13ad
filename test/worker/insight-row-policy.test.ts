/** `/insight/v1` for a restricted reader: what the row policy hides is in no number, strip or name. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, post } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { at, event, resource, type Payload } from './reports.ts'

const TOKENS = [
  tokenLine('lab', 'read', 'environment=lab'),
  tokenLine('webs', 'read', 'certname=web-*'),
].join('\n')
const CODE = 'a1'.repeat(20)
const service = closed({ TOKENS })

beforeAll(async () => {
  await storeInTime(
    // Moved from production, where it failed, to the lab.
    ...runsOf('moved', 'CF', 2 * HALF_HOUR, { environment: 'production', code_id: CODE }),
    ...runsOf('moved', '-F', 0, { environment: 'lab', code_id: CODE }),
    // Was in the lab once.
    ...runsOf('web-1', 'F', 2 * HALF_HOUR, { environment: 'lab', code_id: CODE }),
    ...runsOf('web-1', 'e', 0, { environment: 'production', code_id: CODE }),
    ...runsOf('lab-1', '-', 0, { environment: 'lab', code_id: CODE }),
  )
})

const as = async (name: string, path: string) => {
  const response = await service.request(`/insight/v1/${path}`, {
    headers: { 'x-authentication': name },
  })
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(await response.text()),
  }
}

describe('a reader restricted to an environment', () => {
  it('counts the nodes whose latest report is of it', async () => {
    const { body } = await as('lab', 'fleet')
    expect(body.nodes).toBe(2)
    expect(body.environments.map((one: { environment: string }) => one.environment)).toEqual([
      'lab',
    ])
  })

  it('sees the runs of a strip and the last good run in that environment only', async () => {
    const { body } = await as('lab', 'nodes?q=moved')
    const [node] = body.items
    expect(node.strip.map(({ state }: { state: string }) => state)).toEqual(['unchanged', 'failed'])
    expect(node.last_good).toBe(at(-HALF_HOUR))
  })

  it('counts its runs, causes and reports', async () => {
    const { body: timeline } = await as('lab', 'timeline')
    expect(timeline.runs).toBe(4)
    const { body: causes } = await as('lab', 'causes')
    expect(causes).toMatchObject({ total: 1, nodes: 2, reports: 2 })
    expect(causes.items[0].first_seen).toBe(at(-2 * HALF_HOUR))
    const { body: reports } = await as('lab', 'reports')
    expect(reports.items).toHaveLength(4)
  })

  it('sees the changes in that environment, as rows too, but not the cost of reading them', async () => {
    const { body } = await as('lab', 'changes')
    const response = await service.request('/insight/v1/changes.csv', {
      headers: { 'x-authentication': 'lab' },
    })
    const lines = (await response.text()).trimEnd().split('\r\n')
    expect(body.items.length).toBeGreaterThan(0)
    expect(lines).toHaveLength(body.items.length + 1)
    expect(lines.join()).not.toContain('production')
    expect(response.headers.get('server-timing')).toBeNull()
  })

  it('has its nodes on the map, and the deploys of its environment with what broke there', async () => {
    const { body: map } = await as('lab', 'map?by=environment')
    expect(map.groups.map((one: Payload) => [one['name'], one['nodes']])).toEqual([['lab', 2]])
    const { body: deploys } = await as('lab', 'deploys?since=30d')
    expect(new Set(deploys.items.map((one: Payload) => one['environment']))).toEqual(
      new Set(['lab']),
    )
    const [deploy] = deploys.items
    expect(deploy.of).toBe(2)
    const at = (environment: string) => `deploys/${environment}/${deploy.code_version}`
    expect((await as('lab', at('lab'))).body).toMatchObject({
      nodes: 2,
      // It ran it well before it failed; what it broke with is hidden.
      broke: 0,
      causes: [],
      environments: [{ environment: 'lab' }],
    })
    expect((await as('lab', at('production'))).status).toBe(404)
  })

  it('finds nothing else by any name', async () => {
    const [outside] = await ask('/query/v4/reports', {
      query: ['and', ['=', 'certname', 'web-1'], ['=', 'environment', 'production']],
    })
    for (const path of [`reports/${outside.hash}`, `reports/${outside.hash}/diff`, 'nodes/web-1']) {
      expect([path, (await as('lab', path)).status]).toEqual([path, 404])
    }
    const { items } = await ask('/insight/v1/causes', {
      environment: 'production',
      filter: 'certname = "web-1"',
    })
    expect((await as('lab', `causes/${items[0].cause}`)).status).toBe(404)
    for (const text of ['web', outside.hash.slice(0, 8), 'syntax', 'Motd', 'motd.pp']) {
      expect([text, (await as('lab', `search?q=${text}`)).body.hits]).toEqual([text, []])
    }
  })

  it('does not learn the number of rows', async () => {
    const { headers } = await as('lab', 'fleet')
    expect(headers.get('server-timing')).toBeNull()
  })
})

it('a reader restricted to certnames sees their runs in all environments', async () => {
  const { body: fleet } = await as('webs', 'fleet')
  expect(fleet.nodes).toBe(1)
  const { body: node } = await as('webs', 'nodes/web-1')
  expect(node.runs).toHaveLength(2)
  const { body: causes } = await as('webs', 'causes')
  expect(causes).toMatchObject({ total: 2, nodes: 1 })
  expect((await as('webs', 'timeline')).body.runs).toBe(2)
  const { body: map } = await as('webs', 'map')
  expect(map.groups).toMatchObject([{ name: 'web', nodes: 1 }])
  // When a version reached an environment may be known from hidden nodes alone.
  expect((await as('webs', 'deploys?since=30d')).body.items).toEqual([])
})

it('a restricted reader sees a cause in the words of a run that it may see', async () => {
  const full = (path: string): Payload => ({
    status: 'failed',
    resources: [
      resource({
        events: [event({ status: 'failure', message: `No space left on device - ${path}` })],
      }),
    ],
  })
  await storeInTime(
    ...runsOf('db-1', 'F', HALF_HOUR, { environment: 'production', ...full('/srv/secret') }),
    ...runsOf('lab-2', '-', 3 * HALF_HOUR, { environment: 'lab', code_id: 'b2'.repeat(20) }),
    ...runsOf('lab-2', 'F', 0, { environment: 'lab', code_id: CODE, ...full('/srv/lab') }),
  )
  const { items } = await ask('/insight/v1/causes', { filter: 'certname in ["db-1", "lab-2"]' })
  expect(items).toMatchObject([{ reason: 'No space left on device - /srv/secret', nodes: 2 }])
  const { cause } = items[0]
  const seen = { reason: 'No space left on device - /srv/lab', nodes: 1 }
  expect((await as('lab', 'causes')).body.items).toContainEqual(expect.objectContaining(seen))
  expect((await as('lab', `causes/${cause}`)).body).toMatchObject(seen)
  const { causes } = (await as('lab', `deploys/lab/${CODE}`)).body
  expect(causes).toContainEqual(expect.objectContaining(seen))
  expect((await as('lab', 'search?q=secret')).body.hits).toEqual([])
  // The stored name of a cause may be of a hidden run, so lists of nodes leave it out.
  const rows = (await as('lab', 'nodes?q=lab-2')).body.items
  expect(rows).toMatchObject([{ certname: 'lab-2', reason: null }])
})

it('a restricted reader finds no code version and no words of a run that it may not see', async () => {
  const message = "Could not find package 'nginx'\nin mirror-of-theirs"
  const failed = resource({ events: [event({ status: 'failure', message })] })
  await storeInTime(
    ...runsOf('db-2', 'F', 0, { environment: 'production', resources: [failed] }),
    ...runsOf('lab-3', 'F', 0, { environment: 'lab', code_id: CODE }),
  )
  const hitsOf = (answer: { hits: Payload[] }) => answer.hits.map(({ group }) => group)
  const everyone = (text: string) => ask('/insight/v1/search', { q: text })
  expect(hitsOf(await everyone('mirror-of-theirs'))).toContain('cause')
  expect(hitsOf((await as('lab', 'search?q=nginx')).body)).toContain('cause')
  expect((await as('lab', 'search?q=mirror-of-theirs')).body.hits).toEqual([])
  // Which nodes a version reached first may be hidden from a reader of some nodes.
  const code = CODE.slice(0, 8)
  expect(hitsOf(await everyone(code))).toContain('code')
  expect(hitsOf((await as('webs', `search?q=${code}`)).body)).not.toContain('code')
  expect((await ask('/insight/v1/timeline')).deploys).not.toEqual([])
  expect((await as('webs', 'timeline')).body.deploys).toEqual([])
})

it('a restricted reader is told how long a node has failed by the runs that it may see', async () => {
  await storeInTime(
    ...runsOf('back', '-', 3 * HALF_HOUR, { environment: 'lab' }),
    ...runsOf('back', '-F', HALF_HOUR, { environment: 'production' }),
    ...runsOf('back', 'F', 0, { environment: 'lab' }),
  )
  const failing = (since: number, runs: number) => ({ since: at(since), runs })
  expect(await ask('/insight/v1/nodes/back')).toMatchObject({
    last_good: at(-2 * HALF_HOUR),
    failing: failing(-HALF_HOUR, 2),
  })
  expect((await as('lab', 'nodes/back')).body).toMatchObject({
    last_good: at(-3 * HALF_HOUR),
    failing: failing(0, 1),
  })
})

it('a node is hidden by the environment of its latest report, whatever that of its facts is', async () => {
  await storeInTime(...runsOf('db-3', '-', 0, { environment: 'production' }))
  for (const certname of ['db-3', 'db-4']) {
    const facts = {
      certname,
      environment: 'lab',
      producer_timestamp: at(0),
      producer: 'p',
      values: {},
    }
    const { status } = await post(
      { command: 'replace_facts', version: 5, certname },
      JSON.stringify(facts),
    )
    expect(status).toBe(200)
  }
  const headers = { 'x-authentication': 'lab' }
  const query = JSON.stringify(['~', 'certname', '^db'])
  const response = await service.request(`/query/v4/nodes?query=${encodeURIComponent(query)}`, {
    headers,
  })
  // One that never reported is of the environment of its facts.
  expect(await response.json()).toMatchObject([{ certname: 'db-4' }])
})
