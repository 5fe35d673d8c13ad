/** Names and messages as long as fleets have them: no page is wider than its window, and no column of a list collapses. */

import type { Browser } from 'playwright-core'
import { storyReports, submitStory, type StoryReport } from './story.ts'

const WIDTHS = [400, 1000, 1280, 1680]

/** The most that a row of a list is high in a wide window, in px: four lines. */
const MOST_HEIGHT = 100

type Say = (name: string, wrong: readonly string[]) => void

interface Payload extends StoryReport {
  readonly environment: string
  readonly resources: readonly { readonly events: readonly { readonly status: string }[] }[]
}

/** Names of cloud machines, ids, and names of several parts. */
const nameOf = (index: number): string => {
  const id = String(index).padStart(4, '0')
  return [
    `i-0a1b2c3d4e5f6${id}.eu-central-1.compute.internal`,
    `7d855ecf-1bbc-47d8-a7d8-7d855ecf${id}`,
    `department-of-accounting-print-server-${id}.subdomain.of.a.branch.office.example.co.uk`,
  ][index % 3]!
}

const MESSAGES = [
  `Could not evaluate: Cannot allocate memory - ${'x'.repeat(900)}`,
  'Fehler: Befehl „apt-get install“ fehlgeschlagen: Paketabhängigkeitsauflösungsfehlermeldung',
  '致命的エラー: パッケージ「nginx」をインストールできません。リポジトリのメタデータが壊れています。',
]

/** The story with long texts in the place of its own. */
function* longReports(now: number): Generator<StoryReport> {
  const names: string[] = []
  for (const report of storyReports({ nodes: 90, runs: 4, now }) as Generator<Payload>) {
    if (!names.includes(report.certname)) names.push(report.certname)
    const index = names.indexOf(report.certname)
    yield {
      ...report,
      certname: nameOf(index),
      environment:
        index % 4 === 0 ? report.environment : `feature_${1000 + index}_of_a_long_branch_name`,
      resources: report.resources.map((resource) => ({
        ...resource,
        events: resource.events.map((event) =>
          event.status === 'failure' ? { ...event, message: MESSAGES[index % 3] } : event,
        ),
      })),
    }
  }
}

/** Rows of lists that are higher than that, by their first words. */
const HIGH_ROWS = `[...document.querySelectorAll('table.list tbody tr, .nodes tbody tr')].flatMap((row) =>
  row.offsetHeight > ${MOST_HEIGHT} ? [row.offsetHeight + ' px: ' + row.innerText.slice(0, 60).replaceAll(/\\s+/g, ' ')] : [])`

/** Tables that stand out of their cards, by their headings. */
const WIDE_TABLES = `[...document.querySelectorAll('.card table')].flatMap((table) =>
  table.offsetWidth > table.parentElement.clientWidth && getComputedStyle(table.parentElement).overflowX === 'visible'
    ? [table.offsetWidth + ' px: ' + table.tHead?.innerText.replaceAll(/\\s+/g, ' ')] : [])`

/** @param url of a service with an empty database @param pagesOf paths of pages of each kind */
export async function longTexts(
  browser: Browser,
  url: string,
  pagesOf: (url: string) => Promise<readonly string[]>,
  say: Say,
): Promise<void> {
  await submitStory(url, longReports(Date.now()))
  const paths = await pagesOf(url)
  for (const width of WIDTHS) {
    const context = await browser.newContext({ viewport: { width, height: 900 } })
    const page = await context.newPage()
    const wrong: string[] = []
    for (const path of paths) {
      await page.goto(url + path)
      const content = await page.evaluate<number>('document.documentElement.scrollWidth')
      if (content > width) wrong.push(`${path}: ${content} px wide`)
      const wide = await page.evaluate<string[]>(WIDE_TABLES)
      if (wide.length > 0) wrong.push(`${path}: a table stands out of its card, ${wide[0]}`)
      const high = width < 1280 ? [] : await page.evaluate<string[]>(HIGH_ROWS)
      if (high.length > 0) wrong.push(`${path}: ${high.length} high rows, ${high[0]}`)
    }
    say(`${width} px: ${paths.length} pages with long names and messages`, wrong)
    await context.close()
  }
}
