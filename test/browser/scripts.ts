/** The editor and keys of the console with script, and what is saved without it. */

import type { Browser } from 'playwright-core'
import { open, type Say } from './pages.ts'

/** What script adds. */
export async function scripts(browser: Browser, url: string, say: Say): Promise<void> {
  const { context, page, heard } = await open(browser)
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
export async function saves(browser: Browser, url: string, say: Say): Promise<void> {
  const { context, page, heard } = await open(browser, { javaScriptEnabled: false })
  await page.goto(`${url}/console/query?q=${encodeURIComponent('nodes {}')}`)
  await page.getByLabel('Save this query as').fill('All of them')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: '1 saved query' }).click()
  const saved = page.locator('section', { has: page.getByRole('heading', { name: 'Queries' }) })
  await saved.getByRole('link', { name: 'All of them' }).click()
  const rows = await page.locator('main tbody tr').count()
  await page.goto(`${url}/console/saved`)
  await saved.getByText('Delete', { exact: true }).click()
  await saved.getByRole('button', { name: 'Delete this for everyone' }).click()
  const left = await saved.count()
  const wrong = rows > 0 && left === 0 ? [] : [`${rows} rows, ${left} left`]
  say('a query is saved, asked and deleted without JavaScript', [...wrong, ...heard])
  await context.close()
}
