/** Visits a page in Chromium with an empty cache: the bytes that the browser fetches, and when it shows the page. */

import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { median } from '../statistics.ts'

export interface Visits {
  readonly lcpMilliseconds: number
  /** Requests over the network. */
  readonly requests: number
  /** Bytes of everything fetched, gzipped as a proxy sends it. */
  readonly bytes: number
  readonly htmlBytes: number
  readonly htmlGzippedBytes: number
  readonly elements: number
}

const VIEWPORT = { width: 1280, height: 900 }

/** As text, since Node's types have no document. The last entry is the largest. */
const LARGEST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: 'largest-contentful-paint', buffered: true })
  setTimeout(() => resolve(NaN), 2000)
})`
const ELEMENTS = `document.getElementsByTagName('*').length`

interface Fetched {
  readonly bytes: number
  readonly gzipped: number
}

interface Visit {
  readonly lcp: number
  readonly fetched: readonly Fetched[]
  readonly html: Fetched
  readonly elements: number
}

/** @param samples number of visits, each with a fresh browser profile @returns medians */
export async function visitPage(browser: Browser, url: string, samples: number): Promise<Visits> {
  const visits: Visit[] = []
  for (let sample = 0; sample < samples; sample++) visits.push(await visitOnce(browser, url))
  const { fetched, html, elements } = visits.at(-1)!
  return {
    lcpMilliseconds: median(visits.map(({ lcp }) => lcp)),
    requests: fetched.length,
    bytes: fetched.reduce((sum, { gzipped }) => sum + gzipped, 0),
    htmlBytes: html.bytes,
    htmlGzippedBytes: html.gzipped,
    elements,
  }
}

async function visitOnce(browser: Browser, url: string): Promise<Visit> {
  return inNewContext(browser, async (page) => {
    const fetched = listen(page)
    await page.goto(url)
    const lcp = await page.evaluate<number>(LARGEST_PAINT)
    const elements = await page.evaluate<number>(ELEMENTS)
    const all = await Promise.all(fetched)
    return { lcp, elements, fetched: all, html: all[0]! }
  })
}

/** Bytes of the query page including its editor, which it fetches on focus. */
export const editorBytes = (browser: Browser, url: string): Promise<number> =>
  inNewContext(browser, async (page) => {
    const fetched = listen(page)
    await page.goto(url)
    await page.locator('#q').focus()
    await page.locator('.cm-content').waitFor()
    return (await Promise.all(fetched)).reduce((sum, { gzipped }) => sum + gzipped, 0)
  })

async function inNewContext<Result>(
  browser: Browser,
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  try {
    return await work(await context.newPage())
  } finally {
    await context.close()
  }
}

/** The page's requests in order, without icons that the page itself contains. */
function listen(page: Page): Promise<Fetched>[] {
  const fetched: Promise<Fetched>[] = []
  page.on('response', (response) => {
    if (!response.url().startsWith('http')) return
    fetched.push(
      response.body().then(
        (body) => ({ bytes: body.length, gzipped: gzipSync(body).length }),
        // A redirect has no body.
        () => ({ bytes: 0, gzipped: 0 }),
      ),
    )
  })
  return fetched
}
