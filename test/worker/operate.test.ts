/** What an operator asks of the service: metrics, beans, sizes, and commands that delete. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { hostFigures, setHostFigures } from '../../worker/http/monitoring/host-figures.ts'
import { Database } from '../../worker/store/database.ts'
import { ask, countRows, JSON_TYPE, request, store } from './client.ts'
import { counting } from './database.ts'
import { event, report, resource, type Payload } from './reports.ts'

const NOW = Date.now()
/** A run that ended so many seconds ago. */
const ago = (seconds: number, parts: Payload & { certname: string }): Payload => {
  const time = (more: number): string => new Date(NOW - seconds * 1000 - more * 1000).toISOString()
  return report({ start_time: time(30), end_time: time(0), producer_timestamp: time(0), ...parts })
}

const ERROR = {
  file: null,
  line: null,
  level: 'err',
  message: 'Could not apply complete catalog',
  source: 'Puppet',
  tags: ['err'],
  time: new Date(NOW).toISOString(),
}
const HOSTILE = 'a"} 1\nevil{x="\\'
const post = (path: string, body: unknown): Promise<Response> =>
  request(path, {
    method: 'POST',
    headers: JSON_TYPE,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

beforeAll(async () => {
  await store(
    ago(60, { certname: 'failed', status: 'failed' }),
    ago(60, { certname: HOSTILE.replaceAll('\n', ' '), status: HOSTILE, environment: HOSTILE }),
    ago(4000, { certname: 'noop', status: 'unchanged', noop: true, noop_pending: true }),
    ago(60, { certname: 'derived', status: 'unchanged', logs: [ERROR] }),
    ago(100_000, { certname: 'drift', status: 'changed', corrective_change: true }),
    ago(60, { certname: 'gone', status: 'failed' }),
    ago(10, { certname: 'doomed', resources: [resource({ events: [event()] })] }),
  )
  const payload = { certname: 'gone', producer_timestamp: '2099-01-01T00:00:00Z' }
  const left = await post('/pdb/cmd/v1', { command: 'deactivate node', version: 3, payload })
  expect(left.status).toBe(200)
})

/** Reads the text format by its grammar: HELP and TYPE before samples, names and labels as they may be, each series once. */
function parsed(text: string): Map<string, number> {
  const series = new Map<string, number>()
  let metric: string | undefined
  expect(text.endsWith('\n')).toBe(true)
  for (const line of text.slice(0, -1).split('\n')) {
    const [, word, name, rest] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? []
    if (word === 'HELP') {
      expect([...series.keys()].some((key) => key.split('{')[0] === name)).toBe(false)
      metric = name
      continue
    }
    if (word === 'TYPE') {
      expect([name, rest]).toEqual([metric, expect.stringMatching(/^(gauge|counter)$/)])
      expect(rest === 'counter').toBe(name!.endsWith('_total'))
      continue
    }
    const sample =
      /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?!\})|(?=\})))*\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(
        line,
      )
    expect(sample, line).not.toBeNull()
    expect(sample![1]).toBe(metric)
    const key = sample![1]! + (sample![2] ?? '')
    expect(series.has(key)).toBe(false)
    series.set(key, Number(sample![3]))
  }
  return series
}

describe('/metrics', () => {
  it('describes the fleet; inactive nodes count in their own metric only', async () => {
    const response = await request('/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const series = Object.fromEntries(parsed(await response.text()))
    expect(series).toMatchObject({
      'puppet_nodes{activity="active"}': 6,
      'puppet_nodes{activity="deactivated"}': 1,
      'puppet_nodes_by_last_run{state="failed",noop="false"}': 2,
      'puppet_nodes_by_last_run{state="corrective",noop="false"}': 1,
      'puppet_nodes_by_last_run{state="changed",noop="true"}': 1,
      'puppet_nodes_by_last_run{state="changed",noop="false"}': 0,
      'puppet_nodes_by_last_run{state="unchanged",noop="false"}': 2,
      'puppet_environment_nodes{environment="production",last_run="failed"}': 2,
      'puppet_environment_nodes{environment="production",last_run="good"}': 3,
      'puppet_environment_nodes{environment="a\\"} 1\\nevil{x=\\"\\\\",last_run="good"}': 1,
      'puppet_nodes_with_recent_run{within_seconds="1800"}': 4,
      'puppet_nodes_with_recent_run{within_seconds="7200"}': 5,
      'puppet_nodes_with_recent_run{within_seconds="604800"}': 6,
      puppet_nodes_without_run: 0,
      puppet_last_run_duration_max_seconds: 30,
      report_service_reports: 7,
    })
    expect(series['puppet_last_run_age_max_seconds']).toBeGreaterThanOrEqual(100_000)
    expect(series['report_service_database_size_bytes']).toBeGreaterThan(10_000)
  })

  it('has the same states of nodes as the console and its API', async () => {
    const series = parsed(await (await request('/metrics')).text())
    const fleet = await ask('/insight/v1/fleet')
    const exported = [...series].filter(([key]) => key.startsWith('puppet_nodes_by_last_run{'))
    const shown = fleet.states.map(({ state, noop, count }: Payload) => [
      `puppet_nodes_by_last_run{state="${String(state)}",noop="${String(noop)}"}`,
      count,
    ])
    expect(exported).toEqual(shown)
  })

  it('has what the launcher of a self-hosted service knows, and nothing of it elsewhere', async () => {
    const figures = async () => {
      const series = parsed(await (await request('/metrics')).text())
      return ['disk_free_bytes', 'last_backup_timestamp_seconds'].map((name) =>
        series.get(`report_service_${name}`),
      )
    }
    const none = hostFigures()
    expect(await figures()).toEqual([undefined, undefined])
    setHostFigures({ lastBackup: 1_767_225_600_000, freeBytes: 5_000_000, lostLog: null })
    expect(await figures()).toEqual([5_000_000, 1_767_225_600])
    setHostFigures(none)
  })

  it('takes one round trip, and gives the same figures after an hour is counted', async () => {
    const { database, batches } = counting()
    const before = parsed(await (await request('/metrics', {}, database)).text())
    expect(batches()).toBe(1)
    expect(before.get('report_service_open_hours')).toBeGreaterThan(0)
    await closeHours(Database.primary(env.DB), NOW + 7_200_000)
    const after = parsed(await (await request('/metrics')).text())
    expect(after.get('report_service_open_hours')).toBe(0)
    expect(after.get('report_service_reports')).toBe(before.get('report_service_reports'))
  })
})

const NODES = 'puppetlabs.puppetdb.population:name=num-nodes'

describe('beans', () => {
  it.each([
    ['as they are', NODES],
    ['percent-encoded, as pypuppetdb does', encodeURIComponent(NODES)],
    ['with an attribute', `${encodeURIComponent(NODES)}/Value`],
  ])('are read by their names %s', async (_, path) => {
    const { value, status } = await ask(`/metrics/v2/read/${path}`)
    expect([status, value]).toEqual([200, path.endsWith('/Value') ? 6 : { Value: 6 }])
  })

  it('are listed, and each of the list can be read', async () => {
    const { value }: { value: Record<string, Record<string, { attr: object }>> } =
      await ask('/metrics/v2/list')
    const names = Object.entries(value).flatMap(([domain, beans]) =>
      Object.keys(beans).map((properties) => `${domain}:${properties}`),
    )
    expect(names).toContain(NODES)
    const response = await post(
      '/metrics/v2',
      names.map((mbean) => ({ type: 'read', mbean })),
    )
    const answers: { status: number; value: object; request: { mbean: string } }[] =
      await response.json()
    expect(answers.map((one) => [one.status, one.request.mbean])).toEqual(
      names.map((name) => [200, name]),
    )
    answers.forEach((one, index) => {
      const [domain, properties] = names[index]!.split(':')
      const attributes = Object.keys(one.value)
      expect(value[domain!]![properties!]!.attr).toEqual(
        Object.fromEntries(
          attributes.map((desc) => [desc, { rw: false, type: 'java.lang.Object', desc }]),
        ),
      )
    })
  })

  it.each([
    ['an unknown bean', `/metrics/v2/read/${encodeURIComponent('a:name=!/x!"<script>')}`, 404],
    ['an unknown attribute', `/metrics/v2/read/${NODES}/Nothing`, 404],
    ['an attribute of every object', `/metrics/v2/read/${NODES}/constructor`, 404],
    ['another type', '/metrics/v2/exec/x', 400],
    ['a broken encoding', '/metrics/v2/read/%E0%A4%A', 404],
  ])('%s: 200, with the status inside', async (_, path, status) => {
    const response = await request(path)
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ status, error: expect.any(String) }),
    ])
  })

  it('of the older interface', async () => {
    const paths: Record<string, string> = await ask('/metrics/v1/mbeans')
    expect(await ask(paths[NODES]!)).toEqual({ Value: 6 })
    expect((await request('/metrics/v1/mbeans/nothing')).status).toBe(404)
  })
})

it('/admin/v1/summary-stats has sizes, and counts deactivated and expired nodes together', async () => {
  await env.DB.exec("update nodes set expired = 1 where deactivated is null and certname = 'noop'")
  expect(await ask('/pdb/admin/v1/summary-stats')).toEqual({
    version: expect.any(String),
    node_activity: [
      { active: true, count: 5 },
      { active: false, count: 2 },
    ],
    database_usage: [{ current_time: expect.any(String), bytes: expect.any(Number) }],
    table_usage: [{ relname: 'reports', n_live_tup: 7 }],
  })
  await env.DB.exec("update nodes set expired = null where certname = 'noop'")
})

describe.sequential('/admin/v1/cmd', () => {
  const command = async (body: unknown): Promise<unknown[]> => {
    const response = await post('/pdb/admin/v1/cmd', body)
    return [response.status, await response.json()]
  }

  it.each([
    [{ command: 'clean', version: 1, payload: [] }, undefined],
    [{ command: 'clean', version: 1, payload: ['gc_packages', 'gc_catalogs'] }, []],
    [
      {
        command: 'clean',
        version: 1,
        payload: ['expire_nodes', ['purge_nodes', { batch_limit: 50 }]],
      },
      ['expire_nodes', 'purge_nodes'],
    ],
  ])('%j', async (body, steps) => {
    const [status, answer] = (await command(body)) as [
      number,
      { ok: boolean; steps: { step: string }[] },
    ]
    expect([status, answer.ok]).toEqual([200, true])
    if (steps) expect(answer.steps.map(({ step }) => step)).toEqual(steps)
    else expect(answer.steps.length).toBeGreaterThan(2)
  })

  it.each<[body: unknown, sentence: RegExp]>([
    ['x', /the body must be JSON/],
    [[], /'clean' and 'delete', not null/],
    [{ command: 'drop', version: 1, payload: [] }, /'clean' and 'delete', not "drop"/],
    [{ command: 'clean', version: 2, payload: [] }, /version must be 1, not 2/],
    [{ command: 'clean', version: 1 }, /a list of operations/],
    [{ command: 'clean', version: 1, payload: ['purge_node'] }, /Did you mean 'purge_nodes'\?/],
    [
      { command: 'clean', version: 1, payload: [['purge_nodes', { batch_limit: -1 }]] },
      /batch_limit/,
    ],
    [{ command: 'delete', version: 1, payload: {} }, /a map like/],
  ])('%j: 400', async (body, sentence) => {
    expect(await command(body)).toEqual([400, { error: expect.stringMatching(sentence) }])
  })

  it('deletes a node once', async () => {
    const deletion = { command: 'delete', version: 1, payload: { certname: 'doomed' } }
    expect(await command(deletion)).toEqual([200, { deleted: 'doomed' }])
    expect((await request('/query/v4/nodes/doomed')).status).toBe(404)
    expect(await command(deletion)).toEqual([
      404,
      { error: 'No information is known about node doomed' },
    ])
    expect(await countRows('events WHERE report NOT IN (SELECT id FROM reports)')).toBe(0)
  })
})

// Last, as it stores many nodes.
describe('/metrics of a site with very many environments', () => {
  it('has the largest 50, and counts the rest together', async () => {
    const before = parsed(await (await request('/metrics')).text())
    const names = Array.from({ length: 60 }, (_, n) => `branch_${n}`)
    await store(
      ...names.map((environment) =>
        ago(60, { certname: `of-${environment}`, environment, status: 'failed' }),
      ),
    )
    const after = parsed(await (await request('/metrics')).text())
    const of = (series: Map<string, number>) =>
      [...series].filter(([key]) => key.startsWith('puppet_environment_nodes{'))
    expect(of(after)).toHaveLength(2 * 51)
    const total = (series: Map<string, number>): number =>
      of(series).reduce((sum, [, nodes]) => sum + nodes, 0)
    expect(total(after)).toBe(total(before) + 60)
    const others = after.get('puppet_environment_nodes{environment="(others)",last_run="failed"}')
    expect(others).toBeGreaterThanOrEqual(60 - 50)
  })
})
