/** Titles of pages, each different from every other; the menu; pages that do not exist. */

import { beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../worker/console/pages.ts'
import { ask, store } from './client.ts'
import { page } from './page.ts'
import { report } from './reports.ts'

beforeAll(async () => {
  const producer_timestamp = new Date().toISOString()
  await store(
    report({ certname: 'web-1.example.com', producer_timestamp }),
    report({ certname: 'web-2.example.com', producer_timestamp, environment: 'staging' }),
  )
})

const newest = async (certname: string): Promise<string> => {
  const [row] = await ask('/query/v4/reports', { query: ['=', 'certname', certname] })
  return row.hash
}

describe('titles', () => {
  const LONG = `nodes { certname ~ "${'x'.repeat(60)}" `
  const queryPage = (text: string) => `/console/query?q=${encodeURIComponent(text)}`
  const AT = '/console/reports?from=2026-01-01T00:00'

  it.each<[page: string, ...paths: string[]]>([
    ['/console', '?since=1h', '?env=staging', '?exclude=staging', '?env=production&exclude=db'],
    [
      '/console/causes',
      '?kind=noop&env=stagign',
      '?env=stagign',
      '?new=1',
      '?new=1&env=staging',
      '?env=staging',
      '?since=1h',
    ],
    ['/console/nodes', '?q=db', '?q=web', '?sort=time', '?state=failed', '?env=x'],
    ['/console/reports', '?cursor=WzJd', '?cursor=WzNd', '?state=failed', '?certname=web-1'],
    ['/console/changes', '?kind=any', '?cursor=WzIsMV0', '?file=Web', '?class=Web', '?node=Web'],
    ['/console/changes?resource=Web', '&kind=failure', '&since=all', '&env=staging'],
    [`${AT}:00Z`, '&to=2026-01-02', '&env=staging'],
    [AT, ':01Z', ':02Z', ':02.5Z'],
    [queryPage('nodes {}'), '&view=explain', '&cursor=100'],
    [queryPage(LONG), encodeURIComponent('and certname = "a" }'), encodeURIComponent('}')],
    ['/console/search?q=example', '&since=1h', '&env=staging'],
  ])('of %s differ with each address', async (start, ...ends) => {
    const titles = await Promise.all(
      [start, ...ends.map((end) => start + end)].map(async (path) => (await page(path)).title),
    )
    expect(titles).toEqual([...new Set(titles)])
  })

  it('of two reports of the same minute, and of their comparisons, differ', async () => {
    const hashes = await Promise.all(
      ['web-1', 'web-2'].map((name) => newest(`${name}.example.com`)),
    )
    const [one, other] = hashes as [string, string]
    const paths = [`reports/${one}`, `diff/${one}..${other}`, `diff/${one}..${one}`]
    const titles = await Promise.all(
      paths.map(async (path) => (await page(`/console/${path}`)).title),
    )
    expect(titles[0]).toContain(` · ${one.slice(0, 8)} · `)
    expect(titles[1]).toContain(` · ${one.slice(0, 8)}..${other.slice(0, 8)} · `)
    expect(titles[1]).toMatch(/^web-1\.example\.com, web-2\.example\.com · /)
    expect(titles[2]).toMatch(/^web-1\.example\.com · /)
    expect(new Set(titles).size).toBe(3)
  })

  it('say it shortly', async () => {
    expect((await page('/console/causes?new=1&env=staging&since=7d')).title).toBe(
      'Nothing new · last 7 days · new 1 · in staging · Puppet reports',
    )
  })
})

it.each([
  ['/console/search?q=web-1', 'web-1'],
  ['/console/nodes?q=web-1', ''],
])('the search of the header at %s holds %j', async (path, value) => {
  const { elements } = await page(path)
  const field = elements.find(({ attributes }) => attributes['id'] === 'find')
  expect(field?.attributes['value']).toBe(value)
})

describe('the menu', () => {
  it('opens to the left at the end of the header, and to the right elsewhere', async () => {
    const classes = (await page('/console')).elements.flatMap(({ name, attributes }) =>
      name === 'details' && attributes['name'] === 'menu' ? [attributes['class']] : [],
    )
    expect(new Set(classes)).toEqual(new Set(['menu', 'menu end']))
  })

  it('has the pages of the table that have a place in it, each with a key of its own', async () => {
    const menu = [...(await page('/console')).html.matchAll(/<a href="([^"]+)" data-go="(\w)"/g)]
    const inMenu = PAGES.flatMap(({ path, menu }) => (menu ? [[path, menu.key]] : []))
    expect(menu.map(([, href, key]) => [href!.replace('/console', ''), key])).toEqual(inMenu)
    expect(new Set(inMenu.map(([, key]) => key)).size).toBe(inMenu.length)
  })
})

describe('what is not there', () => {
  it.each([
    ['/console/reports/0123456789abcdef0123456789abcdef01234567', true],
    ['/console/diff/0123..4567', true],
    ['/console/diff/0123', false],
    ['/console/diff/0123..', false],
    ['/console/nodes/nope', false],
    ['/console/nope', false],
  ])('%s: 404, which mentions retention for reports only', async (path, namesRetention) => {
    const { status, text } = await page(path)
    expect([status, /retention/i.test(text)]).toEqual([404, namesRetention])
    expect(text).not.toContain('about report It')
  })
})
