/** Measures the console's pages with small and large fleets: size, requests, statements and time, and checks them against the goals. */

import type { Browser } from 'playwright-core'
import { MISSING, openBrowser } from '../test/browser/chromium.ts'
import { accepted, openClient, type Client } from './client.ts'
import type { PageFigures, SizeFigures } from './console/figures.ts'
import { failedOf, reportsOf, standingFleet } from './console/fleet.ts'
import { isMet, verdictsOf } from './console/goals.ts'
import { pagesOf, type MeasuredPage } from './console/pages.ts'
import { processorTimes, sumOf } from './console/processor.ts'
import { editorBytes, visitPage } from './console/visits.ts'
import { NOTIFY_CRON } from '../worker/notify/cron.ts'
import { costOf } from './cost.ts'
import { load } from './load.ts'
import type { Probe } from './probe.ts'
import { COME_ON_TIME } from './on-time.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { onFreshService } from './service.ts'
import { printTable, writeJson } from './table.ts'

const LOADERS = 4
/** Warms up: the first request of a service is slower, whatever page it is for. */
const WARM_UP = 3

const options = readOptions(
  { nodes: [50, 1000, 10_000], runs: 2, seed: 1, samples: 5, json: null },
  'bench:console -- [--nodes 50,1000,10000] [--runs 2] [--seed 1] [--samples 5] [--json FILE]',
)
const sizes = options.nodes
/** The fleet for CPU times: the smallest whose lists have a hundred rows. */
const timed = sizes.find((nodes) => nodes >= 1000) ?? sizes.at(-1)!

const browser = await openBrowser()
if (browser === null) tell(`not measured, for want of a browser: goals 2, 3, 5, 6 (${MISSING})`)
const figures: SizeFigures[] = []
try {
  for (const nodes of sizes) figures.push(await measureFleet(browser, nodes))
} finally {
  await browser?.close()
}

for (const { nodes, failed, reports, pages } of figures) {
  console.log(
    `\n${nodes} nodes, ${failed} of them failed, ${reports} reports; medians of ${options.samples} first visits\n`,
  )
  printPages(pages)
}
const verdicts = verdictsOf(figures).map((verdict) => ({ ...verdict, met: isMet(verdict) }))
console.log(
  '\nGoals, each at the page that does worst; Puppetboard 7.0.2 as it was measured once\n',
)
printTable(
  ['goal', '', 'on', 'ours', 'at most', 'Puppetboard', ''],
  verdicts.map(({ goal, what, on, ours, most, puppetboard, met }) => [
    goal,
    what,
    on,
    ours,
    most,
    puppetboard,
    met === null ? 'not measured' : met ? 'met' : 'NOT MET',
  ]),
)
await writeJson(options.json, { options, sizes: figures, verdicts })

async function measureFleet(browser: Browser | null, nodes: number): Promise<SizeFigures> {
  const fleet = { nodes, runs: options.runs, seed: options.seed, now: Date.now() }
  const reports = reportsOf(fleet)
  const { result } = await onFreshService(
    async ({ client, probe, tick }) => {
      await load(client, standingFleet(fleet), { clients: LOADERS, total: reports })
      await probe([{ sql: COME_ON_TIME, params: [] }])
      await tick()
      // Counts what is counted of hours that are open, as every five minutes.
      await tick(NOTIFY_CRON)
      const root = openClient(new URL(client.base).origin)
      try {
        const pages: PageFigures[] = []
        for (const page of await pagesOf(root)) {
          tell(`${nodes} nodes: ${page.name}`)
          pages.push(await measurePage(root, page, browser, nodes === timed ? probe : null))
        }
        return pages
      } finally {
        root.close()
      }
    },
    { probed: true },
  )
  return { nodes, failed: failedOf(nodes), reports, pages: result }
}

async function measurePage(
  client: Client,
  page: MeasuredPage,
  browser: Browser | null,
  probe: Probe | null,
): Promise<PageFigures> {
  let answer = accepted(await client.get(page.path), page.path)
  for (let again = 0; again < WARM_UP; again++) {
    answer = accepted(await client.get(page.path), page.path)
  }
  const url = client.base + page.path
  return {
    page,
    cost: costOf(answer),
    visits: browser && (await visitPage(browser, url, options.samples)),
    editorBytes: browser && page.name === 'query' ? await editorBytes(browser, url) : null,
    processor: probe && (await processorTimes(probe, page.path, options.samples)),
  }
}

function printPages(pages: readonly PageFigures[]): void {
  printTable(
    [
      'page',
      'LCP ms',
      'requests',
      'KB in all',
      'KB of HTML',
      'unpacked',
      'elements',
      'round trips',
      'statements',
      'rows read',
      'SQL ms',
      'CPU ms, first',
      'to make it',
      'warm',
      'to make it',
    ],
    pages.map(({ page, visits, cost, processor }) => [
      page.name,
      visits && visits.lcpMilliseconds,
      visits && visits.requests,
      visits && visits.bytes / 1000,
      visits && visits.htmlGzippedBytes / 1000,
      visits && visits.htmlBytes / 1000,
      visits && visits.elements,
      cost && cost.roundTrips,
      cost && cost.statements,
      cost && cost.rowsRead,
      cost && cost.sqlMilliseconds,
      processor && sumOf(processor.cold),
      processor && processor.cold.making,
      processor && sumOf(processor.warm),
      processor && processor.warm.making,
    ]),
  )
}
