/** The eight tasks of whoever is on call, each in at most three clicks from the fleet. */

import type { Browser, Page } from 'playwright-core'
import { open, type Say } from './pages.ts'

export interface Task {
  readonly name: string
  /** @returns the clicks it took. @throws where the answer is not on the page */
  readonly run: (page: Page) => Promise<number>
}

async function sees(page: Page, pattern: RegExp): Promise<void> {
  const text = await page.locator('main').innerText()
  if (!pattern.test(text))
    throw new Error(`${pattern.source} is not on ${page.url()}: ${text.slice(0, 300)}`)
}

const follow = async (page: Page, selector: string): Promise<number> => {
  await page.locator(selector).first().click()
  await page.waitForLoadState()
  return 1
}

const TASKS: readonly Task[] = [
  {
    name: 'what broke, and how far it reaches',
    run: async (page) => {
      await sees(page, /\d+ nodes? failing now, \d+ causes?/)
      return 0
    },
  },
  {
    name: 'since when a node fails',
    run: async (page) => {
      const clicks = (await follow(page, '.nodes summary')) + (await follow(page, '.nodes th a'))
      await sees(page, /Failed since .*, \d+ runs?, .*last good run/s)
      return clicks
    },
  },
  {
    name: 'what differs from its last good run',
    run: async (page) => {
      const clicks =
        (await follow(page, '.nodes summary')) +
        (await follow(page, '.nodes th a')) +
        (await follow(page, 'a[data-key=d]'))
      await sees(page, /Compare runs.*Only in the later run/s)
      return clicks
    },
  },
  {
    name: 'why a run is slow',
    run: async (page) => {
      const clicks = (await follow(page, '.nodes summary')) + (await follow(page, '.nodes td.n a'))
      await sees(page, / s(?: of the .* from start to end)?.*Phase.*\d s/s)
      return clicks
    },
  },
  {
    name: 'which nodes have fallen silent, and how they stood',
    run: async (page) => {
      const clicks = await follow(page, '.legend a.silent')
      await sees(page, /(failed|changed|unchanged).*silent \d+ h/s)
      return clicks
    },
  },
  {
    name: 'drift by class',
    run: async (page) => {
      let clicks = await follow(page, 'nav a[href="/console/changes"]')
      clicks += await follow(page, 'a[href*="kind=corrective"]')
      clicks += await follow(page, 'a[href*="by=class"]')
      await sees(page, /class(?:es)? with drift on \d+/)
      return clicks
    },
  },
  {
    name: 'send this very view to somebody',
    run: async (page) => {
      const href = await page
        .locator('a', { hasText: 'Permanent link' })
        .first()
        .getAttribute('href')
      if (!/from=.*&to=/.test(href ?? '')) throw new Error(`the permalink is not absolute: ${href}`)
      await page.goto(new URL(href!, page.url()).href)
      await sees(page, /\d+ nodes? failing now, \d+ causes?/)
      return 1
    },
  },
  {
    name: 'an audit of changes as CSV',
    run: async (page) => {
      const clicks = await follow(page, 'nav a[href="/console/changes"]')
      const href = await page.locator('a[href*="/console/changes.csv"]').getAttribute('href')
      const response = await page.request.get(new URL(href!, page.url()).href)
      const rows = (await response.text()).trim().split('\r\n')
      if (rows.length < 2) throw new Error('the export is empty')
      return clicks + 1
    },
  },
]

const MOST_CLICKS = 3

/** Each task wide and narrow, with and without script. @param url of a service with the sample fleet */
export async function tasks(browser: Browser, url: string, say: Say): Promise<void> {
  for (const width of [1280, 400])
    for (const javaScriptEnabled of [true, false]) {
      const { context, page } = await open(browser, {
        javaScriptEnabled,
        viewport: { width, height: 900 },
      })
      const wrong: string[] = []
      for (const { name, run } of TASKS) {
        await page.goto(`${url}/console`)
        const clicks = await run(page).catch((error: Error) => {
          wrong.push(`${name}: ${error.message.split('\n')[0]}`)
          return 0
        })
        if (clicks > MOST_CLICKS) wrong.push(`${name}: ${clicks} clicks`)
      }
      say(
        `${width} px, JavaScript ${javaScriptEnabled ? 'on' : 'off'}: ${TASKS.length} tasks`,
        wrong,
      )
      await context.close()
    }
}
