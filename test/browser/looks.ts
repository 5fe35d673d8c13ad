/** Every page, wide and narrow, light and dark, with and without JavaScript: nothing too wide, broken, shown though hidden, or inaccessible. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { open, pagesOf, root, type Say } from './pages.ts'

const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')

const WIDTHS = [1280, 400]
const SCHEMES = ['light', 'dark'] as const

/** Levels of log lines that stand on more than one line. */
const BROKEN_WORDS = `[...document.querySelectorAll('.log-line > :nth-child(2)')].flatMap((level) => {
  const range = document.createRange()
  range.selectNodeContents(level)
  return range.getClientRects().length > 1 ? [level.textContent] : []
})`

/** Texts of cells that stand on more than three lines, with more than half of the cell beside them empty. */
const SQUEEZED = `[...document.querySelectorAll('tbody > tr > * > *')].flatMap((element) => {
  const lines = element.clientHeight / parseFloat(getComputedStyle(element).lineHeight)
  const isNarrow = element.clientWidth < element.parentElement.clientWidth / 2
  return lines > 3.5 && isNarrow ? [element.textContent.slice(0, 40)] : []
})`

/** Kinds of elements that would be shown although they had the attribute `hidden`. */
const SHOWN_THOUGH_HIDDEN = `(() => {
  const added = [...document.querySelectorAll('body *:not([hidden])')]
  for (const element of added) element.setAttribute('hidden', '')
  const shown = [...document.querySelectorAll('[hidden]')]
    .filter((element) => getComputedStyle(element).display !== 'none')
    .map((element) => element.localName + '.' + [...element.classList].join('.'))
  for (const element of added) element.removeAttribute('hidden')
  return [...new Set(shown)]
})()`

/** Sentences of an incident that are cut: nobody can unfold a wall. */
const CUT = `[...document.querySelectorAll('.lead')].flatMap((sentence) =>
  sentence.scrollHeight > sentence.clientHeight + 1 ? [sentence.textContent.slice(0, 40)] : [])`

/** @returns what is wrong with a page in its layout, at the width that it has */
async function layoutFaults(page: Page): Promise<string[]> {
  const wrong: string[] = []
  const [content, window] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  )
  if (content! > window!) wrong.push(`${content} px wide in ${window}`)
  const broken = await page.evaluate<string[]>(BROKEN_WORDS)
  if (broken.length > 0) wrong.push(`broken in two: ${broken.join(', ')}`)
  const squeezed = await page.evaluate<string[]>(SQUEEZED)
  if (squeezed.length > 0) wrong.push(`squeezed: ${squeezed.join(', ')}`)
  const cut = await page.evaluate<string[]>(CUT)
  if (cut.length > 0) wrong.push(`cut: ${cut.join(', ')}`)
  const shown = await page.evaluate<string[]>(SHOWN_THOUGH_HIDDEN)
  if (shown.length > 0) wrong.push(`shown though hidden: ${shown.join(', ')}`)
  return wrong
}

/** @returns what axe finds */
async function accessFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (o: unknown) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
      }
    }
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)} (${nodes.length})`,
    )
  })
}

/** @param url of a service with the sample fleet */
export async function looks(browser: Browser, url: string, say: Say): Promise<void> {
  const paths = await pagesOf(url)
  for (const javaScriptEnabled of [true, false]) {
    const { context, page, heard } = await open(browser, { javaScriptEnabled })
    const wrong: string[] = []
    const titles = new Set<string>()
    for (const path of paths) {
      await page.goto(url + path)
      titles.add(await page.title())
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme })
          const faults = [
            ...(colorScheme === 'light' ? await layoutFaults(page) : []),
            ...(javaScriptEnabled ? await accessFaults(page) : []),
          ]
          for (const fault of faults) wrong.push(`${path}, ${width} px, ${colorScheme}: ${fault}`)
        }
      }
    }
    if (titles.size < paths.length) wrong.push('two pages have the same title')
    const unexpected = heard.filter((text) => !/status of 404/.test(text))
    say(
      `JavaScript ${javaScriptEnabled ? 'on' : 'off'}: ${paths.length} pages, wide and narrow, light and dark`,
      [...wrong, ...unexpected],
    )
    await context.close()
  }
}
