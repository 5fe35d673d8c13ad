import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, post, type Launched } from './launch.js'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const playwright = await import('playwright-core').catch(() => null)
const missing = playwright === null ? 'playwright-core' : existsSync(CHROMIUM) ? null : CHROMIUM
if (missing) console.warn(`the page is not tested in a browser: ${missing} is missing`)

describe.skipIf(missing !== null)('the page in Chromium', () => {
  let catcher: Launched
  let browser: Awaited<ReturnType<NonNullable<typeof playwright>['chromium']['launch']>>
  const complaints: string[] = []
  beforeAll(async () => {
    catcher = await launch(['--ui', '0'])
    browser = await playwright!.chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  })
  afterAll(async () => {
    await browser.close()
    await catcher.stop()
  })

  async function open(width: number, colorScheme: 'light' | 'dark' = 'light') {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(catcher.page)
    return page
  }

  it('shows requests as they come, and runs nothing of what they hold', async () => {
    const page = await open(1280)
    await page.getByText('Nothing has come in yet').waitFor()
    await post(`${catcher.url}/one`, '{"a":1.0,"html":"<img src=x onerror=alert(1)>"}')
    await page.getByText('POST /one').first().waitFor()
    expect(await page.locator('#view').innerText()).toContain('"a": 1.0')
    await post(`${catcher.url}/two`, '<script>document.title="owned"</script>\u202e')
    await page.locator('#list li').nth(1).waitFor()
    await page.getByText('POST /two').first().click()
    await page.getByText('document.title').first().waitFor()
    expect(await page.locator('#view').innerText()).toContain('\\u202e')
    expect(await page.title()).toBe('local-catcher')
    expect(await page.locator('#view script, #view img').count()).toBe(0)
    await page.close()
  })

  it('is used by keyboard alone', async () => {
    const page = await open(1280)
    await page.getByText('POST /two').first().waitFor()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'POST /one' }).waitFor()
    await page.keyboard.press('4')
    expect(await page.locator('#view').innerText()).toMatch(/^POST \/one HTTP\/1\.1\nhost: /)
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: 'POST /two' }).waitFor()
    await page.keyboard.press('5')
    await page.locator('#view .removed').first().waitFor()
    expect(await page.locator('#view .added').first().innerText()).toContain('+ POST /two HTTP/1.1')
    await page.keyboard.press('/')
    await page.keyboard.type('onerror')
    await expect.poll(() => page.locator('#list li').count()).toBe(1)
    await page.close()
  })

  it('sends a request again', async () => {
    const page = await open(1280)
    await page.getByText('POST /one').first().click()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByLabel('Send to').fill(`${catcher.url}/again`)
    await page.keyboard.press('Enter')
    await page.getByText('/again: 200').waitFor()
    await page.getByText('POST /again').first().waitFor()
    await page.close()
  })

  it.each([400, 1280])('fits a window of %i pixels, light and dark', async (width) => {
    const grounds = new Set<string>()
    for (const scheme of ['light', 'dark'] as const) {
      const page = await open(width, scheme)
      await page.getByText('POST /one').first().waitFor()
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
      ).toBeLessThanOrEqual(0)
      grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor))
      await page.close()
    }
    expect(grounds.size).toBe(2)
  })

  it('had nothing to complain of', () => expect(complaints).toEqual([]))
})
