/** Every page of a list at every span and width, and local times in a browser of another zone. */

import type { Browser } from 'playwright-core'

const SPANS = ['1h', '6h', '24h', '3d', '7d', '14d', '30d', '90d', 'all']
const WIDTHS = [400, 1280, 1680]

/** Pages that show a span; those of one thing have a time of their own. */
const OF_LISTS = /^\/console(\/(causes.*|deploys|nodes|reports|changes|search|wall))?(\?.*)?$/

type Say = (name: string, wrong: readonly string[]) => void

/** @param paths addresses without parameters */
export async function spans(
  browser: Browser,
  url: string,
  paths: readonly string[],
  say: Say,
): Promise<void> {
  for (const width of WIDTHS) {
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    const wrong: string[] = []
    page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
    for (const path of paths) {
      for (const since of OF_LISTS.test(path) ? SPANS : ['24h']) {
        const to = `${path}${path.includes('?') ? '&' : '?'}since=${since}`
        const response = await page.goto(url + to)
        if (response?.status() !== 200) wrong.push(`${to}: ${response?.status()}`)
        const content = await page.evaluate<number>('document.documentElement.scrollWidth')
        if (content > width) wrong.push(`${to}: ${content} px wide`)
      }
    }
    say(`${width} px: ${paths.length} pages at ${SPANS.length} spans`, wrong)
    await context.close()
  }
}

const ZONE = 'America/New_York'

/** A time as New York's clocks show it. */
const inZone = (time: string): string =>
  new Date(time).toLocaleString('sv-SE', { timeZone: ZONE, hour12: false }).replace(',', '')

/** @param report the address of a report */
export async function localTimes(
  browser: Browser,
  url: string,
  report: string,
  say: Say,
): Promise<void> {
  const context = await browser.newContext({ timezoneId: ZONE })
  const page = await context.newPage()
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
