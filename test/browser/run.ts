/** `npm run test:browser`: the console in a real browser, wide and narrow, light and dark, with and without JavaScript. */

import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { loadSample } from '../../worker/local/sample.ts'
import { startService } from '../../worker/local/service.ts'
import { MISSING, openBrowser } from './chromium.ts'
import { HOSTILE, hostileReport } from './hostile.ts'
import { FIRST_REPORT, LIVE, runLive } from './live.ts'
import { longTexts } from './long-texts.ts'
import { localTimes, spans } from './spans.ts'
import { storyTasks } from './story-tasks.ts'
import { TASKS } from './tasks.ts'

/** Where this program's bundle stands below the project: dist/programs/NAME. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')

let failures = 0
function say(name: string, wrong: readonly string[]): void {
  if (wrong.length > 0) failures++
  console.log(`${wrong.length === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  for (const line of wrong.slice(0, 10)) console.log(`         ${line}`)
}

const MODES = [1280, 400].flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [true, false].map((javaScriptEnabled) => ({ width, colorScheme, javaScriptEnabled })),
  ),
)
type Mode = (typeof MODES)[number]

/** A page whose console, errors and reports of the policy are listened to. */
async function open(browser: Browser, { width, ...mode }: Mode) {
  const context = await browser.newContext({ ...mode, viewport: { width, height: 900 } })
  const page = await context.newPage()
  const heard: string[] = []
  page.on('console', (message) => message.type() === 'error' && heard.push(message.text()))
  page.on('pageerror', (error) => heard.push(String(error)))
  return { context, page, heard }
}

/** One page of each kind. */
async function pagesOf(url: string): Promise<string[]> {
  const json = async (path: string) =>
    (await fetch(url + path)).json<{ [name: string]: string }[]>()
  const [cause] = await json('/console/causes.json')
  const [deploy] = await json('/console/deploys.json')
  const [report] = await json('/console/reports.json?state=failed')
  return [
    '/console',
    '/console?layout=wall',
    '/console/deploys',
    `/console/deploys/${deploy!['environment']}/${deploy!['code_version']}`,
    '/console/causes',
    `/console/causes/${cause!['cause']}`,
    '/console/nodes',
    '/console/nodes?strip=time&state=failed',
    `/console/nodes/${report!['certname']}`,
    '/console/reports',
    `/console/reports/${report!['hash']}`,
    `/console/reports/${report!['hash']}/diff`,
    '/console/changes',
    '/console/changes?kind=noop',
    '/console/changes?kind=any&nodes=web-*',
    `/console/query?q=${encodeURIComponent('nodes[certname, report_timestamp] {}')}`,
    `/console/query?view=explain&q=${encodeURIComponent('reports { status = "failed" }')}`,
    `/console/query?view=chart&q=${encodeURIComponent('reports[status, count()] { group by status }')}`,
    '/console/query',
    '/console/trends',
    '/console/search?q=web',
    '/console/search?q=openssl&since=7d',
    '/console/settings',
    '/console/saved?of=/console/nodes',
    '/console/compare',
    '/console/sign-in',
    '/console/nothing',
  ]
}

/** Levels of log lines that stand on more than one line. */
const BROKEN_WORDS = `[...document.querySelectorAll('.log-line > :nth-child(2)')].flatMap((level) => {
  const range = document.createRange()
  range.selectNodeContents(level)
  return range.getClientRects().length > 1 ? [level.textContent] : []
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

/** @returns what is wrong with a page as it stands */
async function faultsOf(page: Page, mode: Mode): Promise<string[]> {
  const wrong: string[] = []
  const [content, window] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  )
  if (content! > window!) wrong.push(`${content} px wide in ${window}`)
  const broken = await page.evaluate<string[]>(BROKEN_WORDS)
  if (broken.length > 0) wrong.push(`broken in two: ${broken.join(', ')}`)
  const shown = await page.evaluate<string[]>(SHOWN_THOUGH_HIDDEN)
  if (shown.length > 0) wrong.push(`shown though hidden: ${shown.join(', ')}`)
  if (!mode.javaScriptEnabled) return wrong
  await page.evaluate(axe)
  const violations = await page.evaluate(async () => {
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
  return [...wrong, ...violations]
}

async function looks(browser: Browser, url: string): Promise<void> {
  const paths = await pagesOf(url)
  for (const mode of MODES) {
    const { context, page, heard } = await open(browser, mode)
    const wrong: string[] = []
    const titles = new Set<string>()
    for (const path of paths) {
      await page.goto(url + path)
      titles.add(await page.title())
      for (const fault of await faultsOf(page, mode)) wrong.push(`${path}: ${fault}`)
    }
    if (titles.size < paths.length) wrong.push('two pages have the same title')
    const unexpected = heard.filter((text) => !/status of 404/.test(text))
    say(
      `${mode.width} px, ${mode.colorScheme}, JavaScript ${mode.javaScriptEnabled ? 'on' : 'off'}: ${paths.length} pages`,
      [...wrong, ...unexpected],
    )
    await context.close()
  }
}

async function tasks(browser: Browser, url: string): Promise<void> {
  for (const mode of MODES.filter(({ colorScheme }) => colorScheme === 'light')) {
    const { context, page } = await open(browser, mode)
    for (const { name, run } of TASKS) {
      await page.goto(`${url}/console`)
      const wrong: string[] = []
      const clicks = await run(page).catch((error: Error) => {
        wrong.push(error.message.split('\n')[0]!)
        return 0
      })
      if (clicks > 3) wrong.push(`${clicks} clicks`)
      say(
        `${mode.width} px, JavaScript ${mode.javaScriptEnabled ? 'on' : 'off'}: ${name} (${clicks} clicks)`,
        wrong,
      )
    }
    await context.close()
  }
}

async function scripts(browser: Browser, url: string): Promise<void> {
  const { context, page, heard } = await open(browser, MODES[0]!)
  await page.goto(`${url}/console/nodes`)
  await page.locator('.chips input[name=q]').pressSequentially('web-')
  await page.waitForURL(/q=web-/)
  const rows = await page.locator('main tbody tr').count()
  say('filters as one types', rows > 0 && rows < 12 ? [] : [`${rows} rows`])
  await page.goto(`${url}/console/query`)
  await page.locator('#q').focus()
  await page.locator('.cm-content').waitFor()
  const fields = await page.locator('.query :is(textarea, .editor):visible').count()
  say('the editor takes the place of the text field', fields === 1 ? [] : [`${fields} fields`])
  await page.keyboard.type('nodes[certname] {}')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+Enter')
  await page.waitForURL(/q=nodes/)
  say('the editor is loaded on focus, and runs the query', heard)
  await page.goto(`${url}/console/query`)
  await page.locator('#q').focus()
  await page.locator('.cm-content').waitFor()
  await page.keyboard.type('nodes[certname] { report_environment = "')
  // The editor closes the quote itself, and the list stays.
  await page.waitForTimeout(1000)
  await page.locator('.cm-tooltip-autocomplete li', { hasText: '"production"' }).waitFor()
  await page.keyboard.type('pr')
  await page.locator('.cm-tooltip-autocomplete li', { hasText: '"production"' }).waitFor()
  await page.waitForTimeout(100)
  await page.keyboard.press('Enter')
  const text = (await page.locator('.cm-content').innerText()).trim()
  const right = text === 'nodes[certname] { report_environment = "production"}'
  say('the editor completes values that are known', right ? heard : [text])
  await page.goto(`${url}/console`)
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.waitForURL(/\/console\/nodes$/)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/console\/nodes\/./)
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.waitForURL(/\/console\/trends$/)
  say('keys lead through the pages', [])
  await context.close()
}

/** With forms alone. */
async function saves(browser: Browser, url: string): Promise<void> {
  const { context, page, heard } = await open(browser, { ...MODES[0]!, javaScriptEnabled: false })
  await page.goto(`${url}/console/query?q=${encodeURIComponent('nodes {}')}`)
  await page.getByLabel('Save this query as').fill('All of them')
  await page.getByRole('button', { name: 'Save' }).click()
  const saved = page.locator('section', { has: page.getByText('Saved queries') })
  await saved.getByText('Edit').click()
  await saved.getByLabel('Title').fill('Every node')
  await saved.getByRole('button', { name: 'Rename' }).click()
  await saved.getByRole('link', { name: 'Every node' }).click()
  const rows = await page.locator('main tbody tr').count()
  await saved.getByText('Edit').click()
  await saved.getByRole('button', { name: 'Delete' }).click()
  const left = await saved.count()
  const wrong = rows > 0 && left === 0 ? [] : [`${rows} rows, ${left} left`]
  say('a query is saved, renamed, asked and deleted without JavaScript', [...wrong, ...heard])
  await context.close()
}

/** Elements that a text has made, and scripts of it that ran. Text, since Node's types know no document. */
const COUNT_MADE = `document.querySelectorAll(
  '.broken, img, iframe, body style, body script, a[href^="https:"], a[href^="javascript:"]',
).length + Number(document.body.dataset.broken ?? 0)`

async function hostile(browser: Browser, url: string): Promise<void> {
  for (const [n, text] of HOSTILE.entries()) {
    const payload = hostileReport(text, n)
    const parameters = new URLSearchParams({
      command: 'store_report',
      version: '8',
      certname: String(payload['certname']),
    })
    const response = await fetch(`${url}/pdb/cmd/v1?${parameters.toString()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    })
    if (!response.ok) throw new Error(await response.text())
  }
  const { context, page, heard } = await open(browser, MODES[0]!)
  const wrong: string[] = []
  const reports = await (
    await fetch(`${url}/console/reports.json?since=1h`)
  ).json<
    {
      hash: string
      certname: string
    }[]
  >()
  const evil = reports.filter(({ certname }) => /^n\d+ /.test(certname))
  const paths = [
    '/console?since=1h',
    '/console?layout=wall',
    '/console/causes',
    '/console/nodes',
    '/console/reports',
    '/console/changes',
    ...evil.flatMap(({ hash }) => `/console/reports/${hash}`),
    ...evil.slice(0, 20).map(({ certname }) => `/console/nodes/${encodeURIComponent(certname)}`),
    ...HOSTILE.slice(0, 30).map((text) => `/console/search?q=${encodeURIComponent(text)}`),
  ]
  for (const path of paths) {
    await page.goto(url + path)
    const made = await page.evaluate<number>(COUNT_MADE)
    if (made > 0) wrong.push(`${path}: ${made} elements made`)
  }
  say(`${HOSTILE.length} hostile texts in every field, ${paths.length} pages`, [...wrong, ...heard])
  await context.close()
}

/** A service on an empty database. */
const started = () =>
  startService({ root, host: '127.0.0.1', port: 0, data: null, settings: { ACCESS: 'open' } })

const browser = await openBrowser()
if (browser === null) console.log(`not run: ${MISSING}`)
else {
  const service = await started()
  try {
    await loadSample(service.url)
    await looks(browser, service.url)
    await tasks(browser, service.url)
    const paths = (await pagesOf(service.url)).filter(
      (path) => !/query|settings|sign-in|nothing/.test(path),
    )
    await spans(browser, service.url, paths, say)
    await localTimes(
      browser,
      service.url,
      paths.find((path) => /reports\/\w+$/.test(path))!,
      say,
    )
    await scripts(browser, service.url)
    await saves(browser, service.url)
    await runLive(browser, service.url, LIVE, say)
    await hostile(browser, service.url)
    const empty = await started()
    try {
      await runLive(browser, empty.url, FIRST_REPORT, say)
    } finally {
      await empty.stop()
    }
    const long = await started()
    try {
      await longTexts(browser, long.url, pagesOf, say)
    } finally {
      await long.stop()
    }
    const large = await started()
    try {
      await storyTasks(browser, large.url, say)
    } finally {
      await large.stop()
    }
  } finally {
    await browser.close()
    await service.stop()
  }
  if (failures > 0) process.exitCode = 1
}
