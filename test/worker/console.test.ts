/** The pages of the console, as whoever asks over HTTP gets them. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, request, store } from './client.ts'
import { outlineOf, page, visit, type Outline, type ReadPage } from './page.ts'
import { HOUR, MESSAGE, ago, failed, newest, run } from './console-runs.ts'
import { event, resource } from './reports.ts'

beforeAll(async () => {
  await store(
    run('web-1.example.com', 3 * HOUR),
    run('web-1.example.com', HOUR, failed('nginx')),
    run('web-2.example.com', HOUR, failed('nginx')),
    run('db-1.example.com', 5 * HOUR, failed('postgresql', 'Could not start postgresql')),
    run('db-2.example.com', HOUR, { status: 'changed', resources: [resource()] }),
    run('db-3.example.com', HOUR, { environment: 'staging' }),
  )
})

/** Every page by name. */
const PAGES: readonly (readonly [name: string, path: () => Promise<string> | string])[] = [
  ['Fleet', () => '/console'],
  ['Causes', () => '/console/causes'],
  [
    'Cause',
    async () => (await page('/console/causes')).links.find((to) => /\/causes\/\w/.test(to))!,
  ],
  ['Nodes', () => '/console/nodes'],
  ['Node', () => '/console/nodes/web-1.example.com'],
  ['Reports', () => '/console/reports'],
  ['Report', async () => `/console/reports/${await newest('web-1.example.com')}`],
  ['Changes', () => '/console/changes'],
  [
    'Diff',
    async () =>
      `/console/diff/${await newest('db-2.example.com')}..${await newest('web-1.example.com')}`,
  ],
  ['Query', () => '/console/query?q=nodes%20%7B%7D'],
  ['Trends', () => '/console/trends'],
  ['Search', () => '/console/search?q=example'],
  ['Settings', () => '/console/settings'],
  ['Saved', () => '/console/saved'],
  ['Pending', () => '/console/changes?kind=noop'],
  ['Wall', () => '/console?layout=wall'],
  ['unknown page', () => '/console/nothing'],
  ['Sign in', () => '/console/sign-in'],
]

describe.each(PAGES)('%s', (name, path) => {
  let read: ReadPage
  beforeAll(async () => {
    read = await page(await path())
  })

  it('is a document that names itself and its answer', () => {
    expect(read.status).toBe(name === 'unknown page' ? 404 : 200)
    expect(read.title).toMatch(/\S · Puppet reports$/)
    expect(read.elements.filter((element) => element.name === 'h1')).toHaveLength(1)
    expect(read.elements.filter((element) => element.name === 'main')).toHaveLength(1)
  })

  it('is well-formed: a head with all that belongs there, then a body', () => {
    expect(read.html).toMatch(/^<!doctype html><html lang="en"/)
    const [document, ...others] = outlineOf(read.html)
    const [head, body] = document!.children
    const namesIn = ({ children }: Outline) => children.map((child) => child.name)
    expect([document!.name, others, namesIn(document!)]).toEqual(['html', [], ['head', 'body']])
    const refresh = name === 'Wall' ? ['noscript'] : []
    expect(namesIn(head!)).toEqual(['meta', 'meta', 'link', 'script', ...refresh, 'title', 'link'])
    expect(namesIn(body!)).toEqual(
      name === 'Sign in' || name === 'Wall'
        ? ['svg', 'main']
        : ['a', 'svg', 'header', 'main', 'dialog'],
    )
  })

  it('lets nothing in from elsewhere and nothing inline', () => {
    expect(read.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(read.headers.get('x-content-type-options')).toBe('nosniff')
    expect(read.headers.get('cache-control')).toMatch(/^private/)
    const names = read.elements.flatMap(({ attributes }) => Object.keys(attributes))
    expect(
      names.filter((attribute) => attribute === 'style' || attribute.startsWith('on')),
    ).toEqual([])
    const scripts = read.elements.filter((element) => element.name === 'script')
    expect(scripts.map(({ attributes }) => attributes['src'])).toEqual([
      expect.stringMatching(/^\/console\/assets\/console-[A-Z0-9]{8}\.js$/),
    ])
  })

  it('gives each id once, and a label to each field', () => {
    const ids = read.elements.flatMap(({ attributes }) => attributes['id'] ?? [])
    expect(ids).toEqual([...new Set(ids)])
  })

  it('leads nowhere where there is nothing', async () => {
    const broken: string[] = []
    for (const link of new Set(read.links)) {
      if (!link.startsWith('/console')) continue
      const response = await visit(link.replace(/#.*/, ''))
      if (response.status >= 400) broken.push(`${response.status} ${link}`)
      await response.body?.cancel()
    }
    expect(broken).toEqual([])
  })
})

describe('what it costs', () => {
  /** Causes marks silent groups as well, and names the code that causes began with. */
  const more: Readonly<Record<string, number>> = { Causes: 7 }
  it.each(PAGES.slice(0, 9))('%s: one round trip, and few statements', async (name, path) => {
    const { headers } = await page(await path())
    const [, trips, statements] = /round-trips;desc="(\d+)", statements;desc="(\d+)"/.exec(
      headers.get('server-timing') ?? '',
    )!
    expect(Number(trips)).toBe(1)
    expect(Number(statements)).toBeLessThanOrEqual(more[name] ?? 6)
  })
})

describe('the fleet', () => {
  it('says first what broke and on how many nodes', async () => {
    const { title, texts } = await page('/console')
    expect(title).toBe('● 3 nodes failing, 2 causes · 5 nodes · last 24 hours · Puppet reports')
    expect(await texts('h1')).toEqual(['3 nodes failing now, 2 causes'])
    expect(await texts('[aria-label=Incident] .lead')).toHaveLength(1)
    expect(await texts('.causes .head')).toHaveLength(1)
    expect((await texts('.legend a'))[0]).toBe('3 failed')
  })

  it('counts as the query API does, and never without of how many', async () => {
    const tiles = await (await page('/console')).texts('.legend a')
    const rows = await ask('/query/v4/nodes', {
      query: [
        'extract',
        [['function', 'count'], 'latest_report_status'],
        ['group_by', 'latest_report_status'],
      ],
    })
    const count = (status: string): number =>
      rows.find((row: { latest_report_status: string }) => row.latest_report_status === status)
        .count
    expect(tiles).toEqual([
      `${count('failed')} failed`,
      `${count('changed')} changed`,
      `${count('unchanged')} unchanged`,
      '1 silent',
      'All 5 nodes',
    ])
  })

  it('shows a failed node that has fallen silent as both', async () => {
    const rows = await (await page('/console/nodes?state=failed')).texts('tbody tr')
    expect(rows.find((row) => row.includes('db-1'))).toMatch(
      /^db-1\S*, failed, silent 5 h, .* failed silent 5 h/,
    )
  })

  it.each([
    [
      '/console',
      [
        'Failed runs per hour',
        'Runs with changes or corrected drift, up to 1',
        'All runs, up to 4',
      ],
    ],
    ['/console?env=staging', ['All runs per hour, up to 1']],
  ])('draws the panels of runs that have any: %s', async (path, panels) => {
    expect(
      (await (await page(path)).texts('.chart .lab')).filter(
        (text) => text.includes('runs') || text.includes('Runs'),
      ),
    ).toEqual(panels)
  })

  it('says of how many runs none failed', async () => {
    const { text, title } = await page('/console?env=staging')
    expect(title).toBe('Nothing fails · 1 node · last 24 hours · in staging · Puppet reports')
    expect(text).toContain('Nothing fails on 1 node, after 1 run in the last 24 hours.')
  })

  it.each([
    [
      '/console?env=stagign',
      'No runs · 0 nodes · last 24 hours · in stagign',
      'No node is in the environment stagign. Did you mean staging?',
    ],
    ['/console?exclude=.', 'No runs · 0 nodes · last 24 hours · nodes -/./', 'No node matches.'],
    [
      '/console/causes?env=stagign',
      'No runs · last 24 hours · in stagign',
      'No runs (last 24 hours).',
    ],
    [
      '/console/causes?env=staging',
      'Nothing failed · last 24 hours · in staging',
      'Nothing failed (last 24 hours), in 1 run.',
    ],
    [
      '/console/causes?new=1&env=staging',
      'Nothing new · last 24 hours · new 1 · in staging',
      'Nothing new (last 24 hours), in 1 run.',
    ],
  ])(
    '%s: does not take a filter for peace, nor for a new installation',
    async (path, title, sentence) => {
      const read = await page(path)
      expect(read.title).toBe(`${title} · Puppet reports`)
      expect(read.text).toContain(sentence)
      expect(read.text).not.toContain('No node has reported yet')
    },
  )
})

describe('the address is the state', () => {
  it.each([
    ['/console/nodes?state=failed', 3],
    ['/console/nodes?state=silent', 1],
    ['/console/nodes?q=DB-', 3],
    ['/console/nodes?env=staging', 1],
    ['/console/nodes?exclude=%5Edb', 2],
    ['/console/nodes?nodes=db-*', 3],
    ['/console/nodes?nodes=db-*,+-db-1*', 2],
    ['/console/nodes?nodes=/^(web|db)-1/', 2],
    ['/console/reports?nodes=WEB', 3],
    ['/console/changes?kind=any&nodes=db-*', 2],
    ['/console/reports?certname=web-1.example.com', 2],
    ['/console/reports?state=failed', 3],
    ['/console/reports?since=6h&state=changed', 1],
  ])('%s: %i rows', async (path, count) => {
    expect(await (await page(path)).texts('tbody tr')).toHaveLength(count)
  })

  it.each([
    [
      '/console/nodes?state=faild',
      "state can't be 'faild': expected one of failed, corrective, changed, would, unchanged, eventful, fact-errors, silent. Did you mean",
    ],
    [
      '/console?since=1w',
      "since can't be '1w': expected one of 1h, 6h, 24h, 3d, 7d, 14d, 30d, 90d, all.",
    ],
    [
      '/console/nodes?silent_after=1e308',
      "silent_after can't be '1e308': expected a number of hours up to 1000000.",
    ],
    ['/console?from=never', "from can't be 'never': expected a time such as 2026-03-02T06:00:00Z."],
  ])('%s is refused with what would be right', async (path, sentence) => {
    const { status, text } = await page(path)
    expect(status).toBe(400)
    expect(text).toContain(sentence)
  })
})

describe('the scope bar', () => {
  it.each(['/console', '/console/causes', '/console/reports'])(
    'of %s says what its values count, as narrow windows hide the labels',
    async (path) => {
      expect((await page(path)).text).toMatch(/Nodes All (?:\d+ )?nodes/)
    },
  )
})

describe('strips of nodes', () => {
  const widths = async (path: string): Promise<(string | undefined)[]> =>
    (await page(path)).elements
      .filter(({ attributes }) => attributes['class'] === 'strip')
      .map(({ attributes }) => attributes['width'])

  it('hold the last runs', async () => {
    expect(new Set(await widths('/console/nodes'))).toEqual(new Set(['144']))
  })
})

it.each(['', '/nodes', '/reports', '/changes', '/causes', '/search'])(
  '/console%s is the same where a form sent its fields empty',
  async (path) => {
    const shown = async (search: string) => {
      const { status, text } = await page(`/console${path}${search}`)
      return [status, text.replace(/\d\d:\d\d:\d\d UTC/, 'now')]
    }
    expect(await shown('?q=&state=&certname=&env=&nodes=')).toEqual(await shown(''))
  },
)

describe('one report', () => {
  it('says why it failed, word for word, and what was before', async () => {
    const { text, links } = await page(`/console/reports/${await newest('web-1.example.com')}`)
    expect(text).toContain(MESSAGE)
    expect(text).toContain('Web::Install')
    expect(text).toContain('web/manifests/install.pp:12')
    // With the last good run, which is the run before too.
    expect(new Set(links.filter((link) => link.startsWith('/console/diff/'))).size).toBe(1)
  })

  it('shows of its log what is asked for, with the numbers of the lines', async () => {
    const path = `/console/reports/${await newest('web-1.example.com')}`
    expect(await (await page(`${path}?q=nothing`)).texts('.log-line')).toHaveLength(0)
    expect(
      (await page(`${path}?log=err`)).elements.map(({ attributes }) => attributes['id']),
    ).toContain('L0')
  })

  it('compares its times with those of the runs before', async () => {
    const time = (name: string, value: number) => ({ category: 'time', name, value })
    await store(
      run('a-slow', 2 * HOUR, { metrics: [time('total', 5), time('package', 2)] }),
      run('a-slow', HOUR, { metrics: [time('total', 44), time('package', 24)] }),
    )
    const rows = async (path: string): Promise<string[]> =>
      (await page(path)).texts('.times tbody tr')
    expect(await rows(`/console/reports/${await newest('a-slow')}`)).toEqual(['package 24 s 2.0 s'])
  })

  it('is asked for by a form where an address names none to compare', async () => {
    const { status, elements, text } = await page('/console/compare')
    expect([status, text]).toEqual([200, expect.stringContaining('Compare nodes')])
    const names = elements
      .filter(({ name }) => name === 'input')
      .map((one) => one.attributes['name'])
    expect(names).toEqual(expect.arrayContaining(['other', 'node']))
    expect((await page('/console/compare?node=web-1')).status).toBe(200)
  })

  it('is compared with the latest run of a node that a part of its name names', async () => {
    const [one, other] = [await newest('web-1.example.com'), await newest('a-slow')]
    const pair = `/console/diff/${one}..${other}`
    for (const to of [
      'other=web-1&node=a-slow',
      `other=web-1&to=${other}`,
      `other=${one}&node=SLOW`,
    ])
      expect((await request(`/console/compare?${to}`)).headers.get('location')).toBe(pair)
    const many = await page('/console/compare?other=web&node=a-slow')
    expect(many.links).toContain('/console/compare?other=web-1.example.com&node=a-slow')
    expect((await page('/console/compare?other=none-such&node=a-slow')).status).toBe(404)
  })

  it('is called by its node, or by its time among runs of one node', async () => {
    const [one, other] = [await newest('web-1.example.com'), await newest('a-slow')]
    const ofNodes = await page(`/console/diff/${one}..${other}`)
    expect(await ofNodes.texts('thead th')).toContain('web-1.example.com')
    expect(ofNodes.text).not.toMatch(/[Ee]arlier|[Ll]ater/)
    const runs = await ask('/pdb/query/v4', {
      query: 'reports[hash] { certname = "web-1.example.com" order by producer_timestamp limit 2 }',
    })
    const [earlier, later] = runs.map(({ hash }: { hash: string }) => hash)
    const names = async (pair: string): Promise<string[]> =>
      [...(await page(`/console/diff/${pair}`)).text.matchAll(/Earlier|Later/g)]
        .slice(0, 2)
        .map(([name]) => name)
    expect(await names(`${earlier}..${later}`)).toEqual(['Earlier', 'Later'])
    expect(await names(`${later}..${earlier}`)).toEqual(['Later', 'Earlier'])
  })
})

describe('queries', () => {
  it('keep the order that they ask for', async () => {
    const query = encodeURIComponent(
      'nodes[certname] { certname ~ "example" order by certname desc }',
    )
    const rows = await (await page(`/console/query?q=${query}`)).texts('tbody td')
    expect(rows).toEqual(
      ['web-2', 'web-1', 'db-3', 'db-2', 'db-1'].map((name) => `${name}.example.com`),
    )
  })

  it('that are wrong are answered with the place', async () => {
    const { texts } = await page(`/console/query?q=${encodeURIComponent('nodes { stauts = 1 }')}`)
    expect((await texts('[role=alert]'))[0]).toContain('stauts')
  })
})

describe('around the pages', () => {
  it.each([
    ['a browser', { accept: 'text/html' }, 302],
    ['a program', { accept: '*/*' }, 404],
  ])('at the door: %s', async (_, headers, status) => {
    const response = await request('/', { headers, redirect: 'manual' })
    expect(response.status).toBe(status)
    if (status === 302) expect(response.headers.get('location')).toBe('/console')
  })

  it('assets stay for ever under the name of their content', async () => {
    const [style] = (await page('/console')).elements.filter(({ name }) => name === 'link')
    const response = await request(style!.attributes['href']!)
    expect(response.headers.get('content-type')).toContain('text/css')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  })

  it.each([
    ['/console/wall?env=staging', '/console?layout=wall&env=staging'],
    ['/console/pending?env=staging', '/console/changes?kind=noop&env=staging'],
    ['/console/views?of=%2Fconsole', '/console/saved?of=%2Fconsole'],
    ['/console/reference', '/openapi.json'],
    [
      '/console/causes?kind=noop&by=resource&env=staging',
      '/console/changes?kind=noop&by=resource&env=staging',
    ],
    ['/console/causes?kind=corrective&since=7d', '/console/changes?kind=corrective&since=7d'],
  ])('an old address leads on: %s', async (path, to) => {
    const response = await visit(path)
    expect([response.status, response.headers.get('location')]).toEqual([302, to])
  })

  it('preferences are kept in a cookie, and lead back to pages of the console only', async () => {
    const chosen = await visit('/console/prefer?theme=dark&back=/console/nodes?state=failed')
    expect(chosen.headers.get('location')).toBe('/console/nodes?state=failed')
    const [cookie] = chosen.headers.get('set-cookie')!.split(';')
    const { elements } = await page('/console', { cookie: cookie! })
    expect(elements[0]!.attributes['data-theme']).toBe('dark')
    for (const elsewhere of [
      'https://elsewhere.example',
      '//elsewhere.example',
      '/console/\r\nx: y',
    ]) {
      const away = await visit(`/console/prefer?back=${encodeURIComponent(elsewhere)}`)
      expect([away.status, away.headers.get('location')]).toEqual([302, '/console'])
    }
  })

  it('an open page asks for newer runs, and mostly hears that there are none', async () => {
    const { elements } = await page('/console/reports')
    const body = elements.find(({ name }) => name === 'body')!
    const address = body.attributes['data-newer']!.replaceAll('&amp;', '&')
    const first = await request(address)
    // Those of the minutes before the newest one, too, since some arrive late.
    const { runs } = await first.json<{ runs: number }>()
    const headers = { 'if-none-match': first.headers.get('etag')! }
    expect((await request(address, { headers })).status).toBe(304)
    await store(run('web-9.example.com', 60_000))
    expect(await (await request(address, { headers })).json()).toEqual({ runs: runs + 1 })
  })
})

describe('a list as a query', () => {
  it.each(['silent', 'unchanged'])(
    'is none of nodes that are %s: queries do not know silence',
    async (state) => {
      const { links } = await page(`/console/nodes?env=kinds&state=${state}`)
      expect(links.filter((to) => to.startsWith('/console/query?q='))).toEqual([])
    },
  )

  beforeAll(() =>
    store(
      run('would.example.com', HOUR, {
        environment: 'kinds',
        noop: true,
        noop_pending: true,
        resources: [resource({ events: [event({ status: 'noop' })] })],
      }),
      run('drift.example.com', HOUR, {
        environment: 'kinds',
        status: 'changed',
        corrective_change: true,
        resources: [
          resource({ corrective_change: true, events: [event({ corrective_change: true })] }),
        ],
      }),
      run('fine.example.com', HOUR, { environment: 'kinds' }),
      run('late.example.com', 9 * HOUR, { ...failed('nginx'), environment: 'kinds' }),
    ),
  )

  it.each(['resource', 'class', 'location'])('drift is listed by %s', async (by) => {
    const { links, text } = await page(`/console/changes?env=kinds&kind=corrective&by=${by}`)
    expect(text).toMatch(/1 (?:resource|class|place) with drift on 1 node/)
    const leading = links.find((to) => /[?&](?:resource|class|file)=/.test(to))!
    expect((await page(leading)).text).toContain('1 change')
  })

  it.each([
    ['/console/changes?kind=any&env=kinds', 3],
    ['/console/changes?kind=any&env=kinds&exclude=late', 2],
    ['/console/changes?kind=any&env=kinds&nodes=-late', 2],
  ])('%s: the last of its queries has %i rows', async (path, count) => {
    const { links } = await page(path)
    const query = links.findLast((to) => to.startsWith('/console/query?q='))!
    const rows = await request(query.replace('query?', 'query.json?'))
    expect(await rows.json()).toHaveLength(count)
  })

  it.each([
    ['/console/nodes?env=kinds&state=would', 1],
    ['/console/nodes?env=kinds&state=changed', 0],
    ['/console/nodes?env=kinds&exclude=fine', 3],
    ['/console/reports?env=kinds&state=unchanged', 1],
    ['/console/reports?env=kinds&state=corrective', 1],
    ['/console/reports?env=kinds&state=changed', 0],
    ['/console/reports?env=kinds&exclude=fine', 3],
    ['/console/causes?env=kinds', 1],
    ['/console/causes?env=kinds&exclude=late', 0],
    [`/console/causes?env=kinds&from=2026-01-01&to=${ago(20 * HOUR)}`, 0],
    ['/console/reports?env=kinds&since=6h', 3],
  ])('%s: %i rows as a query too', async (path, count) => {
    const { links, elements } = await page(path)
    for (const cause of links.filter((to) => /causes\/\w{16}/.test(to))) {
      expect(cause).toMatch(/[?&](since=24h|from=2026-01-01)/)
    }
    const query = links.find((to) => to.startsWith('/console/query?q='))!
    const rows = await request(query.replace('query?', 'query.json?'))
    expect(await rows.json()).toHaveLength(count)
    if (!path.includes('causes')) {
      const all = await request(path.replace('?', '.json?'))
      expect(await all.json()).toHaveLength(count)
    }
    const pattern = elements.find(
      ({ attributes }) => attributes['name'] === 'nodes' && attributes['type'] !== 'hidden',
    )
    const excluded = /exclude=(\w+)/.exec(path)?.[1]
    expect(pattern?.attributes['value']).toBe(excluded === undefined ? '' : `-/${excluded}/`)
  })
})
