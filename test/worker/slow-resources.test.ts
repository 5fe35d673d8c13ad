/** The slowest resources of reports: what storing them costs, and where they are shown. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import failed from '../fixtures/transaction-reports/failed.yaml?raw'
import { ask, costOf, request, submit, textOf } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { at, event, NOON, report, resource, type Payload } from './reports.ts'

const slow = (seconds: number, title: string, type = 'Exec') => ({
  resource_type: type,
  resource_title: title,
  seconds,
})
let moment = 0
/** Submits a run a second after the one before. */
const run = (certname: string, slowest: readonly object[], parts: Payload = {}) => {
  moment += 1000
  const times = {
    start_time: at(moment - 500),
    end_time: at(moment - 100),
    producer_timestamp: at(moment),
  }
  return submit(
    report({
      certname,
      ...times,
      transaction_uuid: crypto.randomUUID(),
      slowest_resources: slowest,
      ...parts,
    }),
  )
}

beforeAll(async () => {
  vi.setSystemTime(NOON + 3_600_000)
  for (let index = 1; index <= 20; index++) {
    await run(`web-${index % 4}`, [slow(index, 'apt-get update'), slow(0.5, 'nginx', 'Package')])
  }
  await run('web-0', [slow(300, 'reindex')])
  await run('lab-1', [slow(7, 'apt-get update')], { environment: 'lab' })
  await run('terminus', [])
})

describe('a report with slow resources costs', () => {
  const rowsWritten = async (...parts: Parameters<typeof run>) =>
    costOf(await run(...parts)).rowsWritten

  it('two rows for each new resource, one for the generation, and none for stored ones', async () => {
    await run('cost', [])
    const none = await rowsWritten('cost', [])
    expect(await rowsWritten('cost', [slow(1, 'new a'), slow(1, 'new b')])).toBe(none + 5)
    expect(await rowsWritten('cost', [slow(2, 'new a'), slow(3, 'new b')])).toBe(none)
  })

  it('nothing for a resource that had an event, with any path', async () => {
    await run('cost', [], { resources: [resource({ resource_title: '/etc/cost' })] })
    const none = await rowsWritten('cost', [])
    expect(await rowsWritten('cost', [slow(1, '/etc/cost', 'File')])).toBe(none)
  })
})

describe('/insight/v1/slow', () => {
  it('sums them by resource, the dearest first', async () => {
    const answer = await ask('/insight/v1/slow', { limit: 3 })
    expect(answer).toMatchObject({ by: 'resource', next: null, oldest: at(1000) })
    expect(answer.reports).toBeGreaterThan(answer.timed)
    expect(answer.items).toEqual([
      {
        resource_type: 'Exec',
        resource_title: 'reindex',
        runs: 1,
        nodes: 1,
        seconds: 300,
        p50: 300,
        p95: 300,
        max: 300,
      },
      {
        resource_type: 'Exec',
        resource_title: 'apt-get update',
        runs: 21,
        nodes: 5,
        seconds: 217,
        p50: 10,
        p95: 19,
        max: 20,
      },
      {
        resource_type: 'Package',
        resource_title: 'nginx',
        runs: 20,
        nodes: 4,
        seconds: 10,
        p50: 0.5,
        p95: 0.5,
        max: 0.5,
      },
    ])
  })

  it('or by type, of one node, within an environment', async () => {
    const byType = await ask('/insight/v1/slow', { by: 'type', environment: 'lab' })
    expect(byType.items).toEqual([
      expect.objectContaining({
        resource_type: 'Exec',
        resource_title: null,
        seconds: 7,
        nodes: 1,
      }),
    ])
    const ofNode = await ask('/insight/v1/slow', { certname: 'web-0', type: 'Package' })
    expect(ofNode.items).toEqual([expect.objectContaining({ runs: 5, nodes: 1, seconds: 2.5 })])
  })

  it('as a table', async () => {
    const csv = await textOf(await request('/insight/v1/slow.csv?type=Package'))
    expect(csv.trim().split(/\r?\n/)).toEqual([
      'resource_type,resource_title,runs,nodes,seconds,p50,p95,max',
      'Package,nginx,20,4,10,0.5,0.5,0.5',
    ])
  })

  it('shows a restricted reader the visible resources only', async () => {
    const service = closed({ TOKENS: tokenLine('lab', 'read', 'environment=lab') })
    const response = await service.request('/insight/v1/slow', {
      headers: { 'x-authentication': 'lab' },
    })
    const { reports, items } = await response.json<{ reports: number; items: object[] }>()
    expect([reports, items.length]).toEqual([1, 1])
  })

  it('is empty if no report has durations of resources', async () => {
    const { items, timed } = await ask('/insight/v1/slow', { certname: 'terminus' })
    expect([timed, items]).toEqual([0, []])
  })
})

describe('a report', () => {
  it('of Puppet itself names its slowest resources, in answers and on its page', async () => {
    const headers = { 'content-type': 'application/x-yaml' }
    const body = failed.replaceAll('web1.example.com', 'yaml.example.com')
    expect((await request('/reports', { method: 'POST', headers, body })).status).toBe(200)
    const [{ hash }] = await ask('/pdb/query/v4/reports', {
      query: ['=', 'certname', 'yaml.example.com'],
    })
    const page = await ask(`/insight/v1/reports/${hash}`)
    const seconds = page.slow_resources.map((row: { seconds: number }) => row.seconds)
    expect(seconds.length).toBeGreaterThan(3)
    expect(Math.max(...seconds)).toBeLessThan(60)
    expect(seconds).toEqual(seconds.toSorted((one: number, other: number) => other - one))
    const html = await textOf(await request(`/console/reports/${hash}`))
    expect(html).toContain('Slowest resources')
    const { resource_type, resource_title } = page.slow_resources[0]
    expect(html).toContain(`${resource_type}[${resource_title}]`)
  })

  it('is shown with the seconds that were sent', async () => {
    const query = ['and', ['=', 'certname', 'lab-1'], ['=', 'latest_report?', true]]
    const [{ hash }] = await ask('/pdb/query/v4/reports', { query })
    const page = await ask(`/insight/v1/reports/${hash}`)
    expect(page.slow_resources).toEqual([slow(7, 'apt-get update')])
  })

  it('of the terminus has none of them', async () => {
    const [{ hash }] = await ask('/pdb/query/v4/reports', { query: ['=', 'certname', 'terminus'] })
    expect((await ask(`/insight/v1/reports/${hash}`)).slow_resources).toEqual([])
    expect(await textOf(await request(`/console/reports/${hash}`))).not.toContain('Slowest')
  })

  it('with lost events names them, in answers and on its page', async () => {
    await run('lossy', [], {
      resources: [resource({ events: [event({ status: null }), event()] })],
    })
    const [{ hash }] = await ask('/pdb/query/v4/reports', { query: ['=', 'certname', 'lossy'] })
    const { warnings } = await ask(`/insight/v1/reports/${hash}`)
    expect(warnings).toEqual([
      'resources[0].events[0].status: null is not a string, the event is left out',
    ])
    const html = await textOf(await request(`/console/reports/${hash}`))
    expect(html).toContain('A part of this report could not be read and was left out.')
    expect(html).toContain('the event is left out')
  })
})
