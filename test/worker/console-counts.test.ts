/** What pages of lists say of how many there are, and that what they lead to is the same list. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, store } from './client.ts'
import { page } from './page.ts'
import { event, report, resource } from './reports.ts'

const HOUR = 3_600_000
const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString()

/** A run of a node, so many ms ago. */
const run = (certname: string, before: number, parts: Record<string, unknown> = {}) =>
  report({
    certname,
    // Two reports of one start and one transaction are the same run, sent by two ways.
    start_time: ago(before + 10_000),
    producer_timestamp: ago(before),
    end_time: ago(before),
    ...parts,
  })

const failed = {
  status: 'failed',
  resources: [resource({ events: [event({ status: 'failure', timestamp: ago(HOUR) })] })],
}

beforeAll(async () => {
  await store(
    run('web-1.example.com', 3 * HOUR),
    run('web-1.example.com', HOUR, failed),
    run('web-2.example.com', HOUR, failed),
    run('db-1.example.com', 5 * HOUR, failed),
    run('db-2.example.com', HOUR, { status: 'changed', resources: [resource()] }),
    run('db-3.example.com', HOUR, { environment: 'staging' }),
  )
})

describe('lists', () => {
  it.each([
    ['/console/nodes', '5 nodes'],
    ['/console/nodes?state=failed', '3 nodes failed of 5'],
    ['/console/nodes?q=web&exclude=2', '1 node of 3'],
    ['/console/reports', '6 reports last 24 hours'],
    ['/console/reports?state=failed', '3 reports failed of 6, last 24 hours'],
    ['/console/reports?state=failed&env=staging', '0 reports failed of 1, last 24 hours'],
    ['/console/reports?since=6h&state=changed', '1 report changed of 6, last 6 hours'],
    ['/console/reports?certname=web-1.example.com', '2 reports of web-1.example.com last 24 hours'],
    ['/console/reports?exclude=%5Edb', '3 reports last 24 hours'],
    ['/console/reports?since=all', '6 reports all time'],
    ['/console/changes', '1 change in 6 runs, last 24 hours'],
    ['/console/changes?kind=any', '4 changes in 6 runs, last 24 hours'],
    ['/console/changes?kind=any&exclude=%5Edb', '2 changes last 24 hours'],
    ['/console/changes?kind=any&nodes=web-*', '2 changes last 24 hours'],
  ])('%s is headed by %s', async (path, heading) => {
    const [shown] = await (await page(path)).texts('h1')
    expect(shown).toBe(heading)
  })

  it.each([
    ['/console/nodes?q=x-', 'None of 5 nodes matches.'],
    ['/console/nodes?state=silent&exclude=.', 'No node matches.'],
    ['/console/reports?state=corrective', 'None of 6 reports matches (last 24 hours).'],
    [
      '/console/reports?state=failed&certname=db-3.example.com',
      'None of 1 report matches (last 24 hours).',
    ],
    ['/console/reports?env=stagign', 'No report matches (last 24 hours).'],
    ['/console/nodes?env=prod', 'No node is in the environment prod. Did you mean production?'],
    [
      '/console/reports?env=stagign',
      'No node is in the environment stagign. Did you mean staging?',
    ],
    ['/console/reports?exclude=example', 'No report matches (last 24 hours).'],
    ['/console/changes?kind=corrective', 'No change matches (in 6 runs, last 24 hours).'],
    ['/console/changes?node=db-4', 'No change matches (in 0 runs, last 24 hours).'],
    ['/console/changes?kind=corrective&exclude=web', 'No change matches (last 24 hours).'],
    [
      '/console/changes?resource=sshd_config',
      'No change matches (in 6 runs, last 24 hours). All changes · Names with sshd_config',
    ],
    ['/console/changes?kind=noop&exclude=web', 'No pending changes'],
  ])('%s: of how many there are none', async (path, sentence) => {
    expect((await page(path)).text).toContain(sentence)
  })
})

describe('the same list as a query', () => {
  it.each(['?q=DB-', '?q=b.1', '?q=1.e', '?q=(', '?q=%5C', '?state=failed&q=web'])(
    '/console/nodes%s',
    async (search) => {
      const list = await page(`/console/nodes${search}`)
      const [query] = list.links.filter((to) => to.startsWith('/console/query?'))
      const queryPage = await page(query!)
      expect(queryPage.status).toBe(200)
      expect(await queryPage.texts('tbody tr')).toHaveLength((await list.texts('tbody tr')).length)
    },
  )
})

describe('the zone of the times', () => {
  it.each([
    ['/console', true],
    ['/console/nodes/web-2.example.com', true],
    ['/console/query', true],
    ['/console/settings', false],
    ['/console/saved', false],
    ['/console/nothing', false],
  ])('%s: %s', async (path, shown) => {
    expect((await page(path)).html.includes('data-zone')).toBe(shown)
  })

  it('stands above the times of a report', async () => {
    const [{ hash }] = await ask('/query/v4/reports', { limit: '1' })
    expect((await page(`/console/reports/${hash}`)).html).toContain('data-zone')
  })
})

describe('one node', () => {
  it('says its environment, agent and code once above its runs, and offers no more runs than it has', async () => {
    const { text, html } = await page('/console/nodes/web-2.example.com')
    const above = text.slice(text.indexOf('web-2.example.com'), text.indexOf('Latest runs'))
    expect(above.match(/agent \d/g)).toHaveLength(1)
    expect(text).not.toContain('Details')
    expect(html).not.toContain('?runs=')
  })

  it('begins with since when it fails, why, and when it was good', async () => {
    const { text, links } = await page('/console/nodes/web-2.example.com')
    expect(text).toMatch(
      /Failed since [^,]+, 1 run, at File\[\/etc\/motd\]: \S.*\. No good run is stored\./,
    )
    expect(links.some((to) => to.startsWith('/console/causes/'))).toBe(true)
  })
})

describe('one report', () => {
  it('leads from why it failed to the event, from its own page and from that of its node', async () => {
    const [row] = await ask('/query/v4/reports', { query: ['=', 'certname', 'web-2.example.com'] })
    for (const path of [`reports/${row.hash}`, 'nodes/web-2.example.com']) {
      expect((await page(`/console/${path}`)).links).toContain(`/console/reports/${row.hash}#e0`)
    }
  })

  it('shows the beginning of a long log, and all of it on demand', async () => {
    const logs = Array.from({ length: 700 }, (_, index) => ({
      file: null,
      line: null,
      source: 'Puppet',
      tags: [],
      time: ago(HOUR),
      level: index === 600 ? 'err' : 'notice',
      message: `line ${index}`,
    }))
    await store(run('verbose', HOUR, { environment: 'verbose', status: 'failed', logs }))
    const [row] = await ask('/query/v4/reports', { query: ['=', 'certname', 'verbose'] })
    const path = `/console/reports/${row.hash}`
    const { texts, text, links } = await page(path)
    expect(await texts('.log-line')).toHaveLength(500)
    expect(text).toContain('first 500 of 700 lines')
    expect(await (await page(`${path}?log=err`)).texts('.log-line')).toHaveLength(1)
    for (const all of links.filter((to) => to.includes('lines=all'))) {
      expect(await (await page(all.split('#')[0]!)).texts('.log-line')).toHaveLength(700)
    }
    expect(links).toContain(`${path}?lines=all#L600`)
  })
})

describe('neighbours that a style holds apart', () => {
  /** The last word of an element and the first one of the next, without a blank. */
  const TAG = '(?:a|b|i|span|code|time)\\b[^>]*>'
  const JOINED = new RegExp(
    `[\\p{L}\\d]+</${TAG}(?:</?${TAG})*<${TAG}(?:</?${TAG})*[\\p{L}\\d]+`,
    'gu',
  )

  it.each([
    '/console',
    '/console?layout=wall',
    '/console/causes',
    '/console/deploys',
    '/console/nodes',
    '/console/nodes/web-1.example.com',
    '/console/reports',
    '/console/changes?kind=any',
    '/console/trends',
    '/console/query',
  ])('are words with a blank between them on %s', async (path) => {
    const { html, status } = await page(path)
    expect(status).toBe(200)
    expect(html.replaceAll(/<svg\b.*?<\/svg>/gs, '').match(JOINED)).toBeNull()
  })
})

describe('open causes', () => {
  const countsOn = async (path: string) => {
    const { html } = await page(path)
    return {
      menu: />Causes <b title="open causes">(\d+)</.exec(html)?.[1] ?? null,
      title: /<title>(●?)/.exec(html)?.[1],
    }
  }

  it('are as many in the menu of every page that counts them', async () => {
    const { items } = await ask('/insight/v1/causes', { since: '24h' })
    const count = String(items.filter((cause: { failing: number }) => cause.failing > 0).length)
    expect(await countsOn('/console')).toEqual({ menu: count, title: '●' })
    expect(await countsOn('/console/causes')).toEqual({ menu: count, title: '●' })
  })

  it('have no number in the menu of the page of one of them', async () => {
    const { items } = await ask('/insight/v1/causes', { since: '24h' })
    const path = `/console/causes/${items[0].cause}?since=24h`
    expect(await countsOn(path)).toEqual({ menu: null, title: '●' })
  })
})
