/**
 * Names and messages as long as fleets have them: no page is wider than its window, no element than its box, no column of a
 * list collapses, and no line is a single sign.
 */

import type { Browser, Page } from 'playwright-core'
import { open, pagesOf, type Say } from './pages.ts'
import { storyReports, submitStory, type StoryReport } from './story.ts'

const WIDTHS = [320, 400, 768, 1000, 1280, 1680]
const SCHEMES = ['light', 'dark'] as const

/** The most that a row of a list is high in a wide window, in px: four lines. Narrow windows lay rows out as cards. */
const MOST_HEIGHT = 100
const WIDE = 1280

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
export function* longReports(now: number): Generator<StoryReport> {
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

/** Elements that stand out of the box that holds them, where nothing cuts or scrolls them. */
const WIDE_ELEMENTS = `[...document.querySelectorAll('main *')].flatMap((element) => {
  if (element.closest('svg, .sr, [hidden], .menu > :not(summary)') || !element.offsetParent) return []
  const { right, width } = element.getBoundingClientRect()
  for (let box = element.parentElement; width > 0 && box && box.localName !== 'body'; box = box.parentElement) {
    const style = getComputedStyle(box)
    if (style.overflowX !== 'visible') return []
    if (style.display === 'inline' || style.display === 'contents') continue
    if (right > box.getBoundingClientRect().right + 1)
      return [element.localName + '.' + element.className + ' in ' + box.localName + '.' + box.className + ': ' + element.textContent.trim().slice(0, 40)]
  }
  return []
})`

/** The fewest letters that a line of a longer text may hold. */
const LEAST_LETTERS = 8

/** Texts that stand in a column of a few letters. */
const NARROW_TEXTS = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.trim()
    if (text.length < 3 * ${LEAST_LETTERS} || node.parentElement.closest('svg, .sr, [hidden]')) continue
    range.selectNodeContents(node)
    const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => Math.round(top)))
    if (lines.size > 2 && text.length / lines.size < ${LEAST_LETTERS})
      found.push(lines.size + ' lines: ' + text.slice(0, 60))
  }
  return found
})()`

/** Full stops, colons and the like that stand first in a line, without the word before them. */
const LONE_SIGNS = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  const rectOf = (node, at) => {
    range.setStart(node, at)
    range.setEnd(node, at + 1)
    return [...range.getClientRects()].at(-1)
  }
  let before = null
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent
    if (text.trim() === '' || node.parentElement.closest('svg, pre, .sr, [hidden]')) continue
    const block = (one) => one.parentElement.closest('p, li, td, th, h1, h2, h3, dd, dt, div, section')
    if (before && block(before) === block(node) && /^[.,:;!?]/.test(text)) {
      const last = rectOf(before, before.textContent.trimEnd().length - 1)
      const first = rectOf(node, 0)
      if (last && first && last.width > 0 && first.top > last.bottom - 2)
        found.push(before.textContent.trim().slice(-30) + ' | ' + text.trim().slice(0, 20))
    }
    before = node
  }
  return found
})()`

/** Kinds of faults, by the program that finds them. */
const FAULTS: Readonly<Record<string, string>> = {
  'is a table that stands out of its card': WIDE_TABLES,
  'stands out of its box': WIDE_ELEMENTS,
  'is narrower than eight letters': NARROW_TEXTS,
  'is a line of one sign': LONE_SIGNS,
}

/** @returns what is wrong with a page at a width */
async function faultsAt(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 900 })
  const wrong: string[] = []
  const content = await page.evaluate<number>('document.documentElement.scrollWidth')
  if (content > width) wrong.push(`${content} px wide`)
  for (const [fault, program] of Object.entries(FAULTS)) {
    const found = await page.evaluate<string[]>(program)
    if (found.length > 0) wrong.push(`${found.length} times ${fault}, ${found[0]}`)
  }
  const high = width < WIDE ? [] : await page.evaluate<string[]>(HIGH_ROWS)
  if (high.length > 0) wrong.push(`${high.length} high rows, ${high[0]}`)
  return wrong
}

/** @param url of a service with an empty database */
export async function longTexts(browser: Browser, url: string, say: Say): Promise<void> {
  await submitStory(url, longReports(Date.now()))
  const paths = await pagesOf(url)
  const wrong = new Map(WIDTHS.map((width): [number, string[]] => [width, []]))
  for (const colorScheme of SCHEMES) {
    const { context, page } = await open(browser, { colorScheme })
    for (const path of paths) {
      await page.goto(url + path)
      for (const [width, found] of wrong)
        for (const fault of await faultsAt(page, width))
          found.push(`${path}, ${colorScheme}: ${fault}`)
    }
    await context.close()
  }
  for (const [width, found] of wrong)
    say(`${width} px: ${paths.length} pages with long names and messages`, found)
}
