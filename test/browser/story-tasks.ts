/** Eleven tasks of whoever is on call for 300 nodes, each in at most three clicks from Fleet. */

import type { Browser, Page } from 'playwright-core'
import { open, type Say } from './pages.ts'
import type { Task } from './tasks.ts'
import { REASON, storyReports, submitStory } from './story.ts'

const NODES = 300
/** Hourly runs, so that nodes that are silent for five hours have some. */
const RUNS = 8
const MOST_CLICKS = 3

async function sees(page: Page, ...patterns: readonly RegExp[]): Promise<void> {
  const text = await page.locator('main').innerText()
  for (const pattern of patterns)
    if (!pattern.test(text))
      throw new Error(`${pattern.source} is not on ${page.url()}: ${text.slice(0, 300)}`)
}

/** Clicks one after the other. @returns how many */
async function clicks(page: Page, ...selectors: readonly string[]): Promise<number> {
  for (const selector of selectors) {
    await page.locator(selector).first().click()
    await page.waitForLoadState()
  }
  return selectors.length
}

/** Asks the search of the header. */
async function find(page: Page, text: string): Promise<void> {
  await page.locator('header input[name=q]').fill(text)
  await page.locator('header input[name=q]').press('Enter')
  await page.waitForURL(/\/console\/(search|nodes\/)/)
}

const failing = new RegExp(REASON)

const STORY_TASKS: readonly Task[] = [
  {
    name: 'what broke in the last hour, and on how many nodes',
    async run(page) {
      const made = await clicks(
        page,
        '.scope summary:has-text("Time")',
        '.scope a:has-text("Last hour")',
      )
      await sees(page, /\d+ of 300 nodes fail/, failing, /They are .* web nodes that ran it/)
      return made
    },
  },
  {
    name: 'why a node failed, and since when',
    async run(page) {
      await find(page, 'web-0036.gru.example.com')
      const made = /search/.test(page.url()) ? await clicks(page, 'main a:has-text("web-0036")') : 0
      await sees(page, /Failed since .*last good run/s, failing)
      return made
    },
  },
  {
    name: 'what changed in /etc/motd, and by which run',
    async run(page) {
      await find(page, '/etc/motd')
      const made = await clicks(page, 'main a:has-text("File[/etc/motd]")')
      await sees(page, /File\[\/etc\/motd\]/, /a → b/, /b71fe02/)
      return made
    },
  },
  {
    name: 'whether it is new with the deploy',
    async run(page) {
      const made = await clicks(page, 'main a[href^="/console/deploys/production/"]')
      await sees(page, /Not safe to continue/, failing, /Broke/)
      return made
    },
  },
  {
    name: "today's run against the last good one",
    async run(page) {
      const made = await clicks(
        page,
        '.nodes summary',
        '.nodes th a:has-text("web-")',
        'a[data-key=d]',
      )
      await sees(page, /Compare runs/, /Package\[nginx-light\]/)
      return made
    },
  },
  {
    name: 'which nodes are silent for four hours',
    async run(page) {
      const made = await clicks(
        page,
        '.legend a.silent',
        'summary:has-text("Silent after")',
        'a[href*="silent_after=4"]',
      )
      await sees(page, /7 nodes silent/, /silent 5 h/, /No report since/)
      return made
    },
  },
  {
    name: 'a PQL query with completion, as CSV',
    async run(page) {
      let made = await clicks(page, 'nav a[href="/console/query"]')
      await page.locator('#q').focus()
      await page.locator('.cm-content').waitFor()
      await page.keyboard.type('nodes[certname] { latest_report_st')
      await page.locator('.cm-tooltip-autocomplete li').first().waitFor()
      await page.waitForTimeout(100)
      await page.keyboard.press('Enter')
      await page.keyboard.type(' = "failed"')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+Enter')
      await page.waitForURL(/q=/)
      made += await clicks(page, 'main summary:has-text("Export")')
      const href = await page.locator('main a:has-text("CSV")').first().getAttribute('href')
      const csv = await (await page.request.get(new URL(href!, page.url()).href)).text()
      if (!/^certname\r\n(?:[\w.-]+\r\n){40,}$/.test(csv)) throw new Error(csv.slice(0, 200))
      return made + 1
    },
  },
  {
    name: 'a notification in a chat about production',
    async run(page) {
      const made = await clicks(
        page,
        'header summary:has-text("Account")',
        'header a[href="/console/settings"]',
      )
      await page.getByLabel('Name', { exact: true }).fill('ops')
      await page.getByLabel('Address', { exact: true }).fill('https://chat.example.com/hooks/x')
      await page.getByLabel('Environment', { exact: true }).selectOption('production')
      await clicks(page, 'button:has-text("Preview")')
      await sees(page, failing, /web nodes that ran it/)
      return made + 1
    },
  },
  {
    name: 'a link to what is seen, for somebody else',
    async run(page) {
      const made = await clicks(page, 'main summary:has-text("Export")')
      const href = await page
        .locator('main a', { hasText: 'Permanent link' })
        .first()
        .getAttribute('href')
      if (!/from=.*&to=/.test(href ?? '')) throw new Error(`the link is not absolute: ${href}`)
      return made + 1
    },
  },
  {
    name: 'slow groups of nodes, and the slowest of a group',
    async run(page) {
      const made = await clicks(page, 'nav a[href="/console/trends"]')
      await sees(page, /Run time by group/i, /\d+ s/)
      return made + (await clicks(page, '#groups a[href*="sort=seconds"]'))
    },
  },
  {
    name: "from an alert's text to the log line",
    async run(page) {
      await find(page, REASON)
      const made = await clicks(page, 'main a[href*="#L"]')
      await sees(page, failing)
      const line = page.locator(`[id="${new URL(page.url()).hash.slice(1)}"]`)
      if (!failing.test(await line.innerText())) throw new Error(`${page.url()} is another line`)
      return made
    },
  },
]

/** Most lines of a page with 300 nodes, as screen readers read it. */
const MOST_READ = 300

/** @returns the lines of a page as it is read out */
async function readOut(page: Page, address: string): Promise<string[]> {
  await page.goto(address)
  return (await page.locator('body').ariaSnapshot()).split('\n')
}

const AGE = String.raw`(?:\d+ \w+ ago|now)`

/** What the link of a row says, per list. */
const SAID_ROWS: Readonly<Record<string, RegExp>> = {
  nodes: new RegExp(String.raw`link "web-\d{4}[\w.]* ?, failed, ${AGE}: `),
  reports: new RegExp(String.raw`link "${AGE}, web-\d{4}[\w.]*, \w`),
}

/** @returns what is wrong with how a list is read out: each row is one link that says it */
async function rowFaults(page: Page, address: string, said: RegExp): Promise<string[]> {
  const lines = await readOut(page, address)
  const whole = lines.filter((line) => said.test(line))
  return [
    ...(lines.length > MOST_READ ? [`${lines.length} lines`] : []),
    ...(whole.length < 10 ? [`${whole.length} rows say all`] : []),
    ...(lines.some((line) => /\b(?:row|cell|img) /.test(line)) ? ['cells'] : []),
  ]
}

/** @returns what is wrong with the order and the number of lines in which a page is read out */
async function readingFaults(page: Page, address: string): Promise<string[]> {
  const lines = await readOut(page, address)
  const placeOf = (pattern: RegExp): number => lines.findIndex((line) => pattern.test(line))
  const [heading, map, group] = [
    placeOf(/heading .*\[level=1\]/),
    placeOf(/heading "Map"/),
    placeOf(/heading "(?:web|app|db) \d+/),
  ]
  return [
    ...(lines.length > MOST_READ ? [`${lines.length} lines`] : []),
    ...(heading < 0 || map < heading || group < map ? [`places ${heading}, ${map}, ${group}`] : []),
    ...lines.filter((line) => /img "web-\d{4}/.test(line)),
  ]
}

/** @param url of a service without reports */
export async function storyTasks(browser: Browser, url: string, say: Say): Promise<void> {
  await submitStory(url, storyReports({ nodes: NODES, runs: RUNS, now: Date.now() }))
  const { context, page } = await open(browser)
  for (const { name, run } of STORY_TASKS) {
    await page.goto(`${url}/console`)
    const wrong: string[] = []
    const made = await run(page).catch((error: Error) => {
      wrong.push(error.message.split('\n')[0]!)
      return 0
    })
    if (made > MOST_CLICKS) wrong.push(`${made} clicks`)
    say(`${NODES} nodes: ${name} (${made} clicks)`, wrong)
  }
  say(
    `${NODES} nodes: Fleet is short when it is read out`,
    await readingFaults(page, `${url}/console`),
  )
  for (const [list, said] of Object.entries(SAID_ROWS)) {
    say(
      `${NODES} nodes: the list of ${list} is short when it is read out`,
      await rowFaults(page, `${url}/console/${list}`, said),
    )
  }
  await context.close()
}
