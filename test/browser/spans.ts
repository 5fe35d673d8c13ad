/** Every page of a list at every span and width, and local times in a browser of another zone. */

import type { Browser } from 'playwright-core'
import { open, pagesOf, type Say } from './pages.ts'

const SPANS = ['1h', '6h', '24h', '3d', '7d', '14d', '30d', '90d', 'all']
const WIDTHS = [400, 1280, 1680]

/** Pages that show a span. */
const OF_LISTS = /^\/console(\/(causes.*|deploys|nodes|reports|changes|search|trends))?(\?.*)?$/

export async function spans(browser: Browser, url: string, say: Say): Promise<void> {
  const paths = (await pagesOf(url)).filter((path) => OF_LISTS.test(path))
  const { context, page, heard } = await open(browser)
  const wrong: string[] = []
  for (const path of paths)
    for (const since of SPANS) {
      const to = `${path}${path.includes('?') ? '&' : '?'}since=${since}`
      const response = await page.goto(url + to)
      if (response?.status() !== 200) wrong.push(`${to}: ${response?.status()}`)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        const content = await page.evaluate<number>('document.documentElement.scrollWidth')
        if (content > width) wrong.push(`${to}: ${content} px wide in ${width}`)
      }
    }
  say(`${paths.length} pages at ${SPANS.length} spans`, [...wrong, ...heard])
  await context.close()
}

const ZONE = 'America/New_York'

/** A time as New York's clocks show it. */
const inZone = (time: string): string =>
  new Date(time).toLocaleString('sv-SE', { timeZone: ZONE, hour12: false }).replace(',', '')

export async function localTimes(browser: Browser, url: string, say: Say): Promise<void> {
  const report = (await pagesOf(url)).find((path) => /reports\/\w+$/.test(path))!
  const { context, page } = await open(browser, { timezoneId: ZONE })
  await page.goto(`${url}/console/prefer?times=local&back=${encodeURIComponent(report)}`)
  const wrong: string[] = []
  const time = page.locator('main .title time').first()
  const [shown, exact] = [await time.innerText(), (await time.getAttribute('datetime'))!]
  if (!shown.startsWith(inZone(exact)) || !/ UTC-[45]$/.test(shown))
    wrong.push(`${exact} is shown as ${shown}`)
  const zone = await page.locator('[data-zone]').innerText()
  if (!/^UTC-[45]$/.test(zone)) wrong.push(`the header says ${zone}`)
  await page.goto(`${url}/console?since=24h`)
  const tick = page.locator('.chart text[data-time]').nth(1)
  const [label, at] = [await tick.textContent(), (await tick.getAttribute('data-time'))!]
  if (/:/.test(label!) && label !== inZone(at).slice(11, 16))
    wrong.push(`the axis shows ${at} as ${label}`)
  say('local times are those of the zone of the browser', wrong)
  await context.close()
}
