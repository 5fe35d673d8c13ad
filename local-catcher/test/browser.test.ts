import { existsSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
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

  '--disable-software-rasterizer',
]
const playwright = await import('playwright-core').catch(() => null)
const missing = playwright === null ? 'playwright-core' : existsSync(CHROMIUM) ? null : CHROMIUM
if (missing) console.warn(`the page is not tested in a browser: ${missing} is missing`)

describe.skipIf(missing !== null)('the page in Chromium', () => {
  let browser: Awaited<ReturnType<NonNullable<typeof playwright>['chromium']['launch']>>
  // One for all: each would have a process of Chromium for itself.
  let context: BrowserContext
  const complaints: string[] = []
  beforeAll(async () => {
    browser = await playwright!.chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
    context = await browser.newContext()
  })
  afterAll(() => browser.close())

  /** A catcher of its own that has caught `bodies`, one request to each of their paths. */
  async function caught(bodies: Readonly<Record<string, string>>): Promise<Launched> {
    const catcher = await launch(['--ui', '0'])
    for (const [path, body] of Object.entries(bodies)) await post(catcher.url + path, body)
    return catcher
  }

  async function open(catcher: Launched, width: number): Promise<Page> {
    const page = await context.newPage()
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    await page.goto(catcher.page)
    return page
  }

  /** Holds the answer to `url` back; what it returns lets it through once it was asked for, and settles when it has come. */
  async function holdBack(page: Page, url: string): Promise<() => Promise<unknown>> {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route(url, async (route) => {
      await released
      await route.continue()
    })
    const asked = page.waitForRequest(url)
    // A test that fails before it waits shows its own failure alone.
    asked.catch(() => undefined)
    return async () => {
      const request = await asked
      release()
      return (await request.response())?.finished()
    }
  }

  const listed = (page: Page, text: string) => page.locator('#list').getByText(text).waitFor()
  const viewed = (page: Page, text: string) => page.locator('#view', { hasText: text }).waitFor()
  const headed = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

  it('shows requests as they come, and runs nothing of what they hold', async () => {
    const catcher = await caught({})
    const page = await open(catcher, 1280)
    await page.getByText('Nothing has arrived yet').waitFor()
    await post(`${catcher.url}/one`, '{"a":1.0,"html":"<img src=x onerror=alert(1)>"}')
    await listed(page, 'POST /one')
    await viewed(page, '"a": 1.0')
    await post(`${catcher.url}/two`, '<script>document.title="owned"</script>\u202e')
    await listed(page, 'POST /two')
    await page.locator('#list').getByText('POST /two').click()
    await viewed(page, 'document.title')
    expect(await page.locator('#view').innerText()).toContain('\\u202e')
    expect(await page.title()).toBe('local-catcher')
    expect(await page.locator('#view script, #view img').count()).toBe(0)
    await page.close()
  })

  it('is used by keyboard alone', async () => {
    const page = await open(await caught({ '/one': 'onerror', '/two': 'second' }), 1280)
    await headed(page, 'POST /two')
    await page.keyboard.press('j')
    await headed(page, 'POST /one')
    await page.keyboard.press('4')
    await viewed(page, 'POST /one HTTP/1.1')
    expect(await page.locator('#view').innerText()).toMatch(/^POST \/one HTTP\/1\.1\nhost: /)
    await page.keyboard.press('k')
    await headed(page, 'POST /two')
    await page.keyboard.press('7')
    await page.locator('#view .removed').first().waitFor()
    expect(await page.locator('#view .added').first().innerText()).toContain('+ POST /two HTTP/1.1')
    await page.keyboard.press('/')
    await page.keyboard.type('onerror')
    await expect.poll(() => page.locator('#list li').count()).toBe(1)
    await page.close()
  })

  it('shows the request that was chosen last, whichever answer comes last', async () => {
    const page = await open(await caught({ '/one': 'first', '/two': 'second' }), 1280)
    await headed(page, 'POST /two')
    const late = await holdBack(page, '**/api/requests/1')
    await page.locator('#list').getByText('POST /one').click()
    await page.locator('#list').getByText('POST /two').click()
    await late()
    await viewed(page, 'second')
    expect(await page.getByRole('heading', { level: 2 }).innerText()).toBe('POST /two')
    await page.close()
  })

  it('lists what was looked for last, whichever answer comes last', async () => {
    const page = await open(await caught({ '/one': 'first', '/two': 'second' }), 1280)
    await headed(page, 'POST /two')
    const late = await holdBack(page, '**/api/list?search=f')
    await page.getByLabel('Search').fill('f')
    await page.getByLabel('Search').fill('second')
    await late()
    await expect.poll(() => page.locator('#list li').count()).toBe(1)
    await listed(page, 'POST /two')
    await page.close()
  })

  it('shows the view that was chosen last, whichever answer comes last', async () => {
    const page = await open(await caught({ '/one': 'first', '/two': 'second' }), 1280)
    await headed(page, 'POST /two')
    const late = await holdBack(page, '**/api/requests/1')
    await page.getByRole('tab', { name: 'Diff' }).click()
    await page.getByRole('tab', { name: 'Headers' }).click()
    await late()
    expect(await page.locator('#view').innerText()).toMatch(/^POST \/two HTTP\/1\.1\nhost: /)
    expect(await page.locator('#view .added').count()).toBe(0)
    await page.close()
  })

  it('shows our answer and the reply of the target in tabs of their own', async () => {
    const target = await launch(['-s', '201', '-b', '{"from":"target"}'])
    const catcher = await launch(['--ui', '0', '-f', target.url, '-r', '/own => 503 body=ours'])
    await post(`${catcher.url}/own`, 'x')
    await post(`${catcher.url}/passed`, '{"from":"sender"}')
    const page = await open(catcher, 1280)
    await headed(page, 'POST /passed')
    await page.getByRole('tab', { name: 'Reply' }).click()
    await viewed(page, '"from": "target"')
    const reply = await page.locator('#view').innerText()
    expect(reply).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/passed · [\d.]+ ms\n\nHTTP\/1\.1 201\n/)
    expect(reply).not.toContain('sender')
    await page.getByRole('tab', { name: 'Pretty' }).click()
    await viewed(page, 'sender')
    expect(await page.locator('#view').innerText()).not.toContain('target')
    await page.locator('#list').getByText('POST /own').click()
    await page.getByRole('tab', { name: 'Answer' }).click()
    await viewed(page, 'ours')
    expect(await page.locator('#view').innerText()).toMatch(/^HTTP\/1\.1 503\nContent-Type: text/)
    await page.getByRole('tab', { name: 'Reply' }).click()
    await viewed(page, 'was not forwarded')
    await page.close()
  })

  it('filters the list by status', async () => {
    const catcher = await launch(['--ui', '0', '-r', '/bad => 503', '-r', '/drop => fault=reset'])
    for (const path of ['/good', '/bad', '/drop']) {
      await post(catcher.url + path, 'x').catch(() => null)
    }
    const page = await open(catcher, 1280)
    await listed(page, 'POST /drop')
    const shown = async (label: string) => {
      await page.getByLabel('Filter by status').selectOption(label)
      return page.locator('#list .what').allInnerTexts()
    }
    expect(await shown('2xx answered')).toEqual(['POST /good'])
    expect(await shown('5xx answered')).toEqual(['POST /bad'])
    expect(await shown('Not answered')).toEqual(['POST /drop'])
    expect(await shown('Signature failed')).toEqual([])
    await page.getByText('No request matches the filter.').waitFor()
    expect(await shown('Any status')).toHaveLength(3)
    await page.close()
  })

  it('tells why a signature failed, that a body was cut, and times to the millisecond', async () => {
    const catcher = await launch(['--ui', '0', '--secret', 'github:x', '--max-body', '8'])
    await post(`${catcher.url}/signed`, 'body', {
      'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}`,
    })
    await post(`${catcher.url}/cut`, 'twelve bytes')
    const page = await open(catcher, 400)
    await headed(page, 'POST /cut')
    await page.getByText('The body is cut: the first 8 B of 12 B were kept').waitFor()
    await viewed(page, '… cut here: 4 B were not kept')
    await page.locator('#list').getByText('POST /signed').click()
    await page
      .getByText('Signature failed (github): wrong secret, or the body was altered')
      .waitFor()
    expect(await page.locator('#facts').innerText()).toMatch(
      /^\d{4}-\d\d-\d\d ([01]\d|2[0-3]):\d\d:\d\d\.\d{3} · 127/,
    )
    expect(await page.locator('#list .more').first().innerText()).toMatch(
      /^([01]\d|2[0-3]):\d\d:\d\d\.\d{3} · /,
    )
    await page.close()
  })

  it('sends a request again', async () => {
    const catcher = await caught({ '/one': 'first' })
    const page = await open(catcher, 1280)
    await headed(page, 'POST /one')
    await page.getByRole('button', { name: 'Replay' }).click()
    const target = page.getByLabel('Send to')
    await target.fill(`${catcher.url}/again`)
    await target.press('Enter')
    await page.getByText('/again: 200').waitFor()
    await listed(page, 'POST /again')
    await page.close()
  })

  it('says nothing of a replay once another request is shown', async () => {
    const catcher = await caught({ '/one': 'first', '/two': 'second' })
    const page = await open(catcher, 1280)
    await headed(page, 'POST /two')
    const late = await holdBack(page, '**/replay')
    await page.getByRole('button', { name: 'Replay' }).click()
    const target = page.getByLabel('Send to')
    await target.fill(`${catcher.url}/again`)
    await target.press('Enter')
    await page.locator('#list').getByText('POST /one').click()
    await late()
    await listed(page, 'POST /again')
    expect(await page.locator('#said').innerText()).toBe('')
    await page.close()
  })

  it('stays where its list was scrolled to while requests come', async () => {
    const catcher = await caught(
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`/${index}`, 'x'])),
    )
    const page = await open(catcher, 1280)
    await listed(page, 'POST /59')
    const list = page.locator('#list')
    const top = () =>
      list.evaluate((ul) => {
        const { left, top } = ul.getBoundingClientRect()
        return document.elementFromPoint(left + 40, top + 20)!.closest('li')!.id
      })
    await list.evaluate((ul) => ul.scrollTo(0, 1000))
    const before = await top()
    await post(`${catcher.url}/new`, 'x')
    await page.locator('#row-61').waitFor({ state: 'attached' })
    expect(await top()).toBe(before)
    await page.close()
  })

  it('forgets what it showed when the catcher is started anew', async () => {
    const first = await caught({ '/one': 'first' })
    // Not by `open`: it complains, rightly, of the connection that breaks.
    const page = await context.newPage()
    await page.goto(first.page)
    await headed(page, 'POST /one')
    await first.stop()
    const second = await launch(['--ui', new URL(first.page).port])
    await post(`${second.url}/other`, 'second')
    await headed(page, 'POST /other')
    await viewed(page, 'second')
    expect(await page.locator('#list li').count()).toBe(1)
    await page.close()
  })

  it('fits windows of 400 and 1280 pixels, light and dark', async () => {
    const page = await open(await caught({ '/one': '{"a":1.0}', '/two': 'second' }), 1280)
    await viewed(page, 'second')
    const grounds = new Set<string>()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor))
      for (const width of [400, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
        ).toBeLessThanOrEqual(0)
      }
    }
    expect(grounds.size).toBe(2)
    await page.close()
  })

  it('had nothing to complain of', () => expect(complaints).toEqual([]))
})
