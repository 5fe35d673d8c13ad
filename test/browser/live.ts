/** An open page changes in place when something arrives: numbers, title and icon, with marks, and nothing under the pointer. */

import type { Browser, Page } from 'playwright-core'
import { open, type Say } from './pages.ts'
import { submitStory, type StoryReport } from './story.ts'

export interface LiveCase {
  readonly name: string
  /** @returns what is wrong */
  readonly run: (page: Page, url: string) => Promise<string[]>
}

const MINUTE = 60_000

let made = 0

/** A run that failed just now, of a node that never failed before. */
function failure(reason: string): StoryReport {
  const time = new Date(Date.now() - 500).toISOString()
  return {
    certname: `live-${++made}.example.com`,
    puppet_version: '8.10.0',
    report_format: 12,
    configuration_version: '1',
    start_time: time,
    end_time: time,
    producer_timestamp: time,
    environment: 'production',
    producer: 'puppet.example.com',
    status: 'failed',
    type: 'agent',
    noop: false,
    noop_pending: false,
    corrective_change: false,
    transaction_uuid: null,
    catalog_uuid: null,
    code_id: null,
    job_id: null,
    cached_catalog_status: 'not_used',
    metrics: [],
    logs: [],
    resources: [
      {
        skipped: false,
        timestamp: time,
        resource_type: 'Package',
        resource_title: reason,
        file: null,
        line: null,
        containment_path: [],
        corrective_change: false,
        events: [
          {
            status: 'failure',
            timestamp: time,
            property: 'ensure',
            name: 'ensure',
            old_value: 'absent',
            new_value: 'present',
            message: `Could not install: E: Unable to locate package ${reason}`,
            corrective_change: false,
          },
        ],
      },
    ],
  }
}

/** Requests of a page that have no answer yet. */
const waiting = new WeakMap<Page, Set<unknown>>()

function watchRequests(page: Page): void {
  const requests = new Set<unknown>()
  waiting.set(page, requests)
  page.on('request', (request) => void requests.add(request))
  page.on('requestfinished', (request) => void requests.delete(request))
  page.on('requestfailed', (request) => void requests.delete(request))
}

/** Opens a page with a clock that the test moves, and lets it learn what it shows. */
async function opened(page: Page, address: string): Promise<void> {
  watchRequests(page)
  await page.clock.install({ time: new Date() })
  await page.goto(address)
  await page.evaluate('window.stayed = true')
  await pass(page, 2000)
}

/** Looks that must find no request, as the answer to one may lead to the next. */
const QUIET_LOOKS = 3
const MOST_LOOKS = 300

/** Lets time pass in the page, and its requests end. */
async function pass(page: Page, milliseconds: number): Promise<void> {
  await page.clock.runFor(milliseconds)
  for (let quiet = 0, looks = 0; quiet < QUIET_LOOKS && looks < MOST_LOOKS; looks++) {
    await page.waitForTimeout(50)
    quiet = waiting.get(page)?.size === 0 ? quiet + 1 : 0
  }
  await page.clock.runFor(10)
}

const failing = async (page: Page, selector: string): Promise<number> =>
  Number(/\d+/.exec(await page.locator(selector).first().innerText())?.[0])

const icon = (page: Page) => page.evaluate<string>("document.querySelector('link[rel=icon]').href")

const wrongs = (...found: readonly (readonly [right: boolean, wrong: string])[]): string[] =>
  found.flatMap(([right, wrong]) => (right ? [] : [wrong]))

/** Counts requests of the console from now on. */
function countRequests(page: Page): { readonly newer: () => number; readonly pages: () => number } {
  const paths: string[] = []
  page.on('request', (request) => void paths.push(new URL(request.url()).pathname))
  return {
    newer: () => paths.filter((path) => path === '/console/newer').length,
    pages: () => paths.filter((path) => path === '/console').length,
  }
}

export const LIVE: readonly LiveCase[] = [
  {
    name: 'Fleet changes in place: numbers, title, icon, and a mark for what is new, for a minute',
    async run(page, url) {
      await opened(page, `${url}/console`)
      const [before, was] = [await failing(page, 'h1'), await icon(page)]
      await submitStory(url, [failure('first-thing')])
      await pass(page, 31_000)
      const after = await failing(page, 'h1')
      const marked = await page.locator('.fresh', { hasText: 'first-thing' }).count()
      const title = await page.title()
      const stayed = await page.evaluate('window.stayed')
      const changed = (await icon(page)) !== was
      await pass(page, MINUTE + 1000)
      const left = await page.locator('.fresh').count()
      return wrongs(
        [after === before + 1, `${before} failing before, ${after} after`],
        [marked > 0, 'the new cause has no mark'],
        [title.startsWith(`● ${after} nodes failing`), `title ${title}`],
        [changed, 'the icon is the same'],
        [stayed === true, 'the page was loaded anew'],
        [left === 0, `${left} marks after a minute`],
      )
    },
  },
  {
    name: 'nothing moves under the pointer; it follows when the pointer leaves',
    async run(page, url) {
      await opened(page, `${url}/console`)
      await page.locator('main a', { hasText: 'first-thing' }).first().hover()
      const before = await failing(page, 'h1')
      const place = () =>
        page.evaluate<number>(
          "[...document.querySelectorAll('main :hover')].at(-1).getBoundingClientRect().top",
        )
      const top = await place()
      await submitStory(url, [failure('second-thing')])
      await pass(page, 31_000)
      const during = await page.locator('main li', { hasText: 'second-thing' }).count()
      const moved = (await place()) - top
      const after = await failing(page, 'h1')
      await page.mouse.move(2, 2)
      await pass(page, 2000)
      const then = await page.locator('main li', { hasText: 'second-thing' }).count()
      return wrongs(
        [during === 0, 'the list under the pointer changed'],
        [Math.abs(moved) < 1, `moved by ${moved} px`],
        [after === before + 1, `the headline says ${after} after ${before}`],
        [then > 0, 'the list did not follow'],
      )
    },
  },
  {
    name: 'nothing moves under the focus',
    async run(page, url) {
      await opened(page, `${url}/console`)
      await page.locator('main a', { hasText: 'first-thing' }).first().focus()
      await submitStory(url, [failure('third-thing')])
      await pass(page, 31_000)
      const focused = await page.evaluate<string>(
        "document.activeElement.matches('a') ? document.activeElement.textContent : ''",
      )
      return wrongs([focused.includes('first-thing'), `the focus is on "${focused.slice(0, 60)}"`])
    },
  },
  {
    name: 'the panel of an incident follows, and waits while somebody writes a note in it',
    async run(page, url) {
      await opened(page, `${url}/console`)
      const panel = page.locator('.incident', { hasText: 'Acknowledge' }).first()
      const nodes = async () => /\d+ of (\d+) nodes/.exec(await panel.innerText())?.[1]
      const before = await nodes()
      await panel.locator('summary', { hasText: 'Acknowledge' }).click()
      await panel.locator('input[name=note]').fill('on it')
      await page.evaluate('document.activeElement.blur()')
      await page.mouse.move(2, 2)
      await submitStory(url, [failure('incident-thing')])
      await pass(page, 31_000)
      const during = await nodes()
      const note = await panel.locator('input[name=note]').inputValue()
      await panel.locator('input[name=note]').fill('')
      await page.evaluate("document.querySelector('.incident details[open]').open = false")
      await page.evaluate('document.activeElement.blur()')
      await pass(page, 3000)
      const after = await nodes()
      return wrongs(
        [note === 'on it', `the note is "${note}"`],
        [during === before, `${before} nodes before, ${during} while somebody writes`],
        [Number(after) === Number(before) + 1, `${before} nodes before, ${after} after`],
      )
    },
  },
  {
    name: 'where nothing arrives, the answer is 304 and the page is not read again',
    async run(page, url) {
      await opened(page, `${url}/console`)
      const answers: number[] = []
      page.on('response', (response) => {
        if (response.url().includes('/console/newer')) answers.push(response.status())
      })
      const requests = countRequests(page)
      await pass(page, 31_000)
      await pass(page, 30_000)
      return wrongs(
        [
          answers.length === 2 && answers.every((status) => status === 304),
          `answers ${answers.join(' ')}`,
        ],
        [requests.pages() === 0, `${requests.pages()} pages read`],
      )
    },
  },
  {
    name: 'a hidden tab asks once in five minutes, and its title follows',
    async run(page, url) {
      await page.addInitScript(
        "Object.defineProperty(document, 'hidden', { get: () => window.isHidden === true })",
      )
      await opened(page, `${url}/console`)
      await page.evaluate('window.isHidden = true')
      const before = await page.title()
      const requests = countRequests(page)
      await submitStory(url, [failure('fourth-thing')])
      for (let minute = 0; minute < 4; minute++) await pass(page, MINUTE)
      const early = requests.newer()
      await pass(page, MINUTE + 30_000)
      const [late, after] = [requests.newer(), await page.title()]
      return wrongs(
        [early === 0, `${early} requests in four minutes`],
        [late === 1, `${late} requests in five and a half`],
        [requests.pages() === 1, `${requests.pages()} pages read`],
        [after !== before && /^● \d+ nodes failing/.test(after), `title ${after}`],
      )
    },
  },
  {
    name: 'the wall follows within half a minute',
    async run(page, url) {
      await opened(page, `${url}/console?layout=wall`)
      const before = await failing(page, 'h1')
      await submitStory(url, [failure('fifth-thing')])
      await pass(page, 31_000)
      const after = await failing(page, 'h1')
      return wrongs([after === before + 1, `${before} before, ${after} after`])
    },
  },
]

/** On a service without reports. */
export const FIRST_REPORT: readonly LiveCase[] = [
  {
    name: 'the page that waits for the first report becomes Fleet within seconds',
    async run(page, url) {
      await opened(page, `${url}/console`)
      const welcome = page.getByText('Waiting for the first report')
      const before = await welcome.count()
      await submitStory(url, [failure('first-ever')])
      await pass(page, 3000)
      await pass(page, 3000)
      return wrongs(
        [before === 1, 'the page does not wait'],
        [(await welcome.count()) === 0, 'the page still waits'],
        [(await failing(page, 'h1')) === 1, await page.locator('h1').first().innerText()],
        [(await page.evaluate('window.stayed')) === true, 'the page was loaded anew'],
      )
    },
  },
]

/** Runs the cases, each in a window of its own. */
export const runLive =
  (cases: readonly LiveCase[]) =>
  async (browser: Browser, url: string, say: Say): Promise<void> => {
    for (const { name, run } of cases) {
      const { context, page, heard } = await open(browser)
      const wrong = await run(page, url).catch((error: Error) => [error.message.split('\n')[0]!])
      say(`live: ${name}`, [...wrong, ...heard])
      await context.close()
    }
  }
