/** The search for the line of an alert: causes by their messages, log lines of a span, code versions, files, transactions. */

import { beforeAll, describe, expect, it } from 'vitest'
import { MOST_SEARCHED } from '../../worker/insight/log-search.ts'
import { ask, costOf, request } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { copyLatest } from './copies.ts'
import { errorLine, HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { page } from './page.ts'
import { event, resource, type Payload } from './reports.ts'

const apt = (name: string, line: string): Payload => {
  const message = `Execution of '/usr/bin/apt-get -q -y install ${name}' returned 100: Reading package lists...\nBuilding dependency tree...\n${line}`
  return {
    status: 'failed',
    resources: [
      resource({
        resource_type: 'Package',
        resource_title: name,
        events: [event({ status: 'failure', message })],
      }),
    ],
    logs: [
      errorLine('Applying configuration version', { level: 'info' }),
      errorLine(`change from 'purged' to 'present' failed: ${message}`, {
        source: `/Stage[main]/Web/Package[${name}]/ensure`,
      }),
    ],
  }
}
const NGINX = 'E: Unable to locate package nginx-light'
const COMMIT = 'b71fe02a9c0f4d5e6a7b8c9d0e1f2a3b4c5d6e7f'
const CODE = `urn:puppet:code-id:1:${COMMIT};production`
const TRANSACTION = '0e1f2a3b-1111-4222-8333-444455556666'
const OLDER = 2500
const service = closed({ TOKENS: tokenLine('lab', 'read', 'environment=lab') })
const asLab = async (path: string) => {
  const response = await service.request(`/insight/v1/${path}`, {
    headers: { 'x-authentication': 'lab' },
  })
  return JSON.parse(await response.text())
}

interface LogPage {
  readonly reports: number
  readonly items: readonly object[]
  readonly back_to: string
}

beforeAll(async () => {
  await storeInTime(
    ...runsOf('old', '-', 4 * HALF_HOUR, { logs: [errorLine('Loading facts', { level: 'info' })] }),
    ...runsOf('db-1', 'F', 3 * HALF_HOUR, apt('curl', 'E: Could not get lock /var/lib/dpkg/lock')),
    ...runsOf('lab-1', 'F', 2 * HALF_HOUR, {
      ...apt('hidden-name', 'E: Unable to locate package hidden-name for lab-1'),
      environment: 'lab',
    }),
    ...runsOf('web-1', 'C', HALF_HOUR, { transaction_uuid: TRANSACTION, code_id: CODE }),
    ...runsOf('web-1', 'F', 0, { ...apt('nginx-light', NGINX), code_id: CODE }),
  )
  await copyLatest({ r: 'old' }, OLDER, { id: 'r.id - 1024 * copy.value * 10000' })
})

const found = async (q: string) => {
  const { hits } = await ask('/insight/v1/search', { q })
  return hits.map(({ group, label }: Record<string, string>) => `${group} ${label}`)
}

describe('search finds', () => {
  it.each<[what: string, text: string, hits: readonly string[]]>([
    ['a cause by its line', NGINX, [`cause ${NGINX}`]],
    [
      'a cause by a line of its message that does not name it',
      'apt-get -q -y install nginx-light',
      [`cause ${NGINX}`],
    ],
    [
      'a cause by a whole message in one line',
      `Execution of '/usr/bin/apt-get -q -y install nginx-light' returned 100: Reading package lists... Building dependency tree... ${NGINX}`,
      [`cause ${NGINX}`],
    ],
    [
      'a cause by a message of another node',
      'E: Could not get lock /var/lib/dpkg/lock. It is held by process 4711 (unattended-upgr)',
      ['cause E: Could not get lock /var/lib/dpkg/lock'],
    ],
    ['a code version by its beginning', 'b71fe02', [`code ${COMMIT}`]],
    ['a code version by the text that a report has', CODE, [`code ${COMMIT}`]],
    ['a file as a resource', '/etc/motd', ['resource File[/etc/motd]']],
    ['a report by its transaction', TRANSACTION, ['report web-1']],
  ])('%s', async (_, text, hits) => expect(await found(text)).toEqual(hits))

  it('several kinds at once', async () => {
    const kinds = new Set((await found('nginx')).map((hit: string) => hit.split(' ')[0]))
    expect([...kinds]).toEqual(['cause', 'resource'])
  })

  it('nothing of other environments for a restricted token', async () => {
    for (const text of [NGINX, 'b71fe02', TRANSACTION, 'get lock', 'apt-get']) {
      const { hits } = await asLab(`search?q=${encodeURIComponent(text)}`)
      expect([
        text,
        hits.filter(({ label }: { label: string }) => !/hidden-name/.test(label)),
      ]).toEqual([text, []])
    }
  })
})

it('shows a restricted token a cause whose sentence leaves out the node', async () => {
  const { hits } = await asLab('search?q=unable+to+locate')
  expect(hits.map(({ label }: { label: string }) => label)).toEqual([
    'E: Unable to locate package hidden-name for ‹node›',
  ])
})

describe('/insight/v1/logs', () => {
  it('answers the line with its place, also where the text spans its lines', async () => {
    const { items, next } = await ask('/insight/v1/logs', {
      q: `dependency tree... ${NGINX.toUpperCase()}`,
      notable: true,
    })
    expect(items).toMatchObject([
      {
        certname: 'web-1',
        state: 'failed',
        level: 'err',
        index: 1,
        source: '/Stage[main]/Web/Package[nginx-light]/ensure',
        message: expect.stringContaining(`\n${NGINX}`),
      },
    ])
    expect(next).toBeNull()
  })

  it('finds lines of any run, newest first, and goes on within a report', async () => {
    const lines = async (cursor: string | null): Promise<string[]> => {
      const page = await ask('/insight/v1/logs', {
        q: 'applying',
        limit: 1,
        ...(cursor && { cursor }),
      })
      const names = page.items.map(({ certname }: { certname: string }) => certname)
      return page.next === null ? names : [...names, ...(await lines(page.next))]
    }
    expect(await lines(null)).toEqual(['web-1', 'lab-1', 'db-1'])
  })

  it('reads a bounded number of reports, says how far back, and goes on', async () => {
    const response = await request('/insight/v1/logs?q=loading+facts&limit=500&since=30d')
    const { roundTrips, rowsRead } = costOf(response)
    expect(roundTrips).toBe(1)
    const first = await response.json<LogPage>()
    expect([first.reports, first.items.length]).toEqual([505, 500])
    const none = await ask('/insight/v1/logs', { q: 'no such line', since: '30d' })
    expect([none.reports, none.items, none.back_to > first.back_to]).toEqual([
      MOST_SEARCHED,
      [],
      false,
    ])
    const rest = await ask('/insight/v1/logs', {
      q: 'no such line',
      since: '30d',
      cursor: none.next,
    })
    expect([rest.reports, rest.next]).toEqual([OLDER + 5 - MOST_SEARCHED, null])
    // Nine rows for each report, among them the names of its node, environment and metrics.
    expect(rowsRead).toBeLessThanOrEqual(10 * MOST_SEARCHED)
  })

  it('reads no ordinary run where only notable ones are searched', async () => {
    const response = await request('/insight/v1/logs?q=facts&notable=true&since=30d')
    expect(costOf(response).rowsRead).toBeLessThan(120)
    expect(await response.json()).toMatchObject({ reports: 3, items: [], next: null })
  })

  it.each([
    ['', 'Failed, drifting and pending runs'],
    ['&runs=all', 'All runs'],
  ])('the page marks the runs that were searched: "%s"', async (search, runs) => {
    const { texts } = await page(`/console/search?q=facts${search}`)
    expect(await texts('#logs a[aria-current]')).toEqual([runs])
  })

  it('shows a restricted token its own lines only, and counts only these', async () => {
    const { items, reports, next } = await asLab('logs?q=unable+to+locate&since=30d&notable=true')
    expect(items.map(({ certname }: { certname: string }) => certname)).toEqual(['lab-1'])
    expect([reports, next]).toEqual([1, null])
  })

  it.each([
    ['q=', /^'q' is empty/],
    ['q=%20%20', /^'q' is empty/],
    ['q=a&cursor=x', /isn't from this list/],
    ['', /Missing required query parameter 'q'/],
  ])('refuses %s', async (search, sentence) => {
    const response = await request(`/insight/v1/logs?${search}`)
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(sentence)])
  })
})
