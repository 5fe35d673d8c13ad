/** The page of a cause with more nodes than a page holds: each is on one of its pages. */

import { beforeAll, expect, it } from 'vitest'
import { store } from './client.ts'
import { failed, HOUR, run } from './console-runs.ts'
import { page } from './page.ts'

const NODES = 53
const names = Array.from(
  { length: NODES },
  (_, index) => `web-${String(index + 1).padStart(2, '0')}`,
)

beforeAll(() => store(...names.map((name) => run(name, HOUR, failed('nginx')))))

it('lists all nodes, a page after another', async () => {
  const path = (await page('/console/causes')).links.find((to) => /\/causes\/\w/.test(to))!
  const first = await page(path)
  const shown = await first.texts('#nodes tbody th')
  expect(shown).toHaveLength(50)
  expect(await first.texts('.pager > span:first-child')).toEqual([`1 to 50 of ${NODES} nodes`])
  const next = await page(first.links.find((to) => to.includes('cursor=50'))!)
  shown.push(...(await next.texts('#nodes tbody th')))
  expect(shown.toSorted()).toEqual(names)
  expect(await next.texts('.pager > span:first-child')).toEqual([
    `51 to ${NODES} of ${NODES} nodes`,
  ])
})

it('says the number of nodes once where all of them are on the page', async () => {
  const path = (await page('/console/causes')).links.find((to) => /\/causes\/\w/.test(to))!
  const { texts } = await page(`${path}&nodes=web-0*`)
  expect(await texts('#nodes tbody th')).toHaveLength(9)
  expect(await texts('.pager')).toEqual([])
})
