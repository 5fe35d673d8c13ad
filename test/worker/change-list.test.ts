/** Lists of changes whose filter matches few: each page is looked for in a bounded number of runs, and the pages together are the whole. */

import { beforeAll, describe, expect, it } from 'vitest'
import { MOST_LOOKED_THROUGH } from '../../worker/insight/reports/change-list.ts'
import { ask, costOf, request, textOf } from './client.ts'
import { copyLatest } from './copies.ts'
import { HALF_HOUR, runsOf, storeInTime } from './fleets.ts'
import { page } from './page.ts'
import { at, resource } from './reports.ts'

const SECOND = 1000

/** A run that changed something, older than as many runs as a page is looked for in, a second apart, and one more. */
beforeAll(async () => {
  await storeInTime(...runsOf('old', 'C', 8 * HALF_HOUR), ...runsOf('quiet', '-', 0))
  await copyLatest({ r: 'quiet' }, MOST_LOOKED_THROUGH, {
    id: `r.id - 1024 * ${SECOND} * copy.value`,
  })
})

const FILTER = { class: 'Motd', since: '24h' }
const oldest = (page: { items: { certname: string }[] }) =>
  page.items.map(({ certname }) => certname)

describe('a filter that matches few changes', () => {
  it('finds one in the last run that its page looks through', async () => {
    // Leaves out the newest run and the one before.
    const page = await ask('/insight/v1/changes', { ...FILTER, until: at(-SECOND) })
    expect([oldest(page), page.next]).toEqual([['old'], null])
    expect(page.back_to).toBe('2026-03-01T12:00:00.000Z')
  })

  it('finds one in the next run with the cursor', async () => {
    const until = at(0)
    const first = await ask('/insight/v1/changes', { ...FILTER, until })
    expect([oldest(first), first.back_to]).toEqual([[], at(-8 * HALF_HOUR)])
    const second = await ask('/insight/v1/changes', { ...FILTER, until, cursor: first.next })
    expect([oldest(second), second.next]).toEqual([['old'], null])
  })

  it('reads three rows for each run at most', async () => {
    const response = await request('/insight/v1/changes?class=Absent&since=24h')
    expect((await response.json<{ items: unknown[] }>()).items).toEqual([])
    expect(costOf(response).rowsRead).toBeLessThan(3.1 * MOST_LOOKED_THROUGH)
  })

  it('is exported whole', async () => {
    const rows = await textOf(await request('/insight/v1/changes.ndjson?class=Motd&since=24h'))
    expect(
      rows
        .trim()
        .split('\n')
        .map((row) => JSON.parse(row).certname),
    ).toEqual(['old'])
  })

  it('says on its page how far it looked, with a link to go on', async () => {
    const text = await textOf(await request('/console/changes?class=Motd'))
    expect(text).toMatch(/No change matches back to/)
    const [, href] = /href="([^"]*cursor=[^"]*)" rel="next"/.exec(text)!
    expect(await textOf(await request(href!.replaceAll('&amp;', '&')))).toContain('old')
  })
})

it('all changes are read without looking for the end of a page', async () => {
  const response = await request('/insight/v1/changes?certname=old')
  expect(oldest(await response.json())).toEqual(['old'])
  expect(costOf(response).rowsRead).toBeLessThan(50)
})

it('shows the same change of two nodes as one row on its page', async () => {
  const alike = { environment: 'alike' }
  const other = { ...alike, resources: [resource({ line: 8 })] }
  await storeInTime(
    ...runsOf('one', 'CC', HALF_HOUR, alike),
    ...runsOf('one', 'C', 4 * HALF_HOUR, other),
    ...runsOf('two', 'C', HALF_HOUR, alike),
  )
  const { texts, links, text } = await page('/console/changes?env=alike')
  expect(text).toContain('4 changes in 4 runs')
  expect(await texts('tbody tr')).toHaveLength(2)
  expect(await texts('details.nodes summary')).toEqual(['2 nodes, 3 times'])
  expect(await texts('details.nodes li')).toHaveLength(3)
  const reports = links.filter((to) => /^\/console\/reports\/\w+/.test(to))
  expect(new Set(reports).size).toBe(4)
})
