/** The console's page of settings: who sees it, and its forms for hooks. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask, countRows, request } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { page } from './page.ts'

const RECEIVER = 'https://hooks.example.com/secret-path'

beforeAll(async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response(null)))
  await storeInTime(...runsOf('fails', 'F'))
})
afterAll(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the page of settings', () => {
  const TOKENS = [
    tokenLine('boss', 'admin', 'expires=2030-01-31'),
    tokenLine('viewer', 'read'),
    tokenLine('tenant', 'admin', 'certname=web-*'),
  ].join('\n')
  const service = closed({ TOKENS })
  const HTML = { accept: 'text/html' }

  it.each([
    ['boss', '/console/settings', 200],
    ['viewer', '/console/settings', 403],
    ['tenant', '/console/settings', 403],
    ['boss', '/admin/v1/hooks', 200],
    ['viewer', '/admin/v1/hooks', 403],
    ['tenant', '/admin/v1/hooks', 403],
  ])('%s gets %s: %i', async (token, path, status) => {
    expect((await service.as(token, path, { headers: HTML }))[0]).toBe(status)
  })

  it.each([
    ['boss', true],
    ['viewer', false],
    ['tenant', false],
  ])('is in the menu and among the keys of %s: %s', async (token, is) => {
    const [, html] = await service.as(token, '/console/nodes', { headers: HTML })
    expect(html.includes('<a href="/console/settings"')).toBe(is)
    expect(html.includes('<kbd>s</kbd>')).toBe(is)
  })

  it('names tokens with what they may, and never their digests', async () => {
    const [, html] = await service.as('boss', '/console/settings', { headers: HTML })
    expect(html).toContain('boss')
    expect(html).toContain('2030-01-31')
    expect(html).toContain('web-*')
    expect(html).not.toMatch(/[0-9a-f]{64}/)
    expect(html).toContain('npm run token')
  })

  it('says what other ages would take away, and what can’t be one', async () => {
    const path = '/console/settings?dry-run=on&REPORT_TTL='
    expect((await page(`${path}1d`)).text).toContain('purge_reports: every other report')
    const wrong = await page(`${path}soon`)
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('"soon" is no duration')
  })

  const send = async (path: string, form: Record<string, string>, origin?: string) =>
    request(`/console/settings/${path}`, {
      method: 'POST',
      headers: { ...HTML, ...(origin ? { origin } : {}) },
      body: new URLSearchParams(form),
    })
  const ORIGIN = 'http://service.example'

  it('makes a hook, shows its secret once, tries it and forgets it, all by forms', async () => {
    const form = { name: 'by-form', transition: 'silent', hours: '6', filter: '', url: RECEIVER }
    const made = await (await send('hooks', form, ORIGIN)).text()
    expect(made).toMatch(/whsec_/)
    expect(await (await send('hooks/by-form/test', {}, ORIGIN)).text()).toContain('answered 200')
    const { html } = await page('/console/settings')
    expect(html).toContain('silent 6 h')
    expect(html).not.toContain('whsec_')
    expect(await (await send('hooks/by-form/delete', {}, ORIGIN)).text()).toContain(
      'Hook by-form was deleted.',
    )
  })

  it('has its form filled in by the page of a cause, for those who may', async () => {
    const { items } = await ask('/insight/v1/causes', { since: '90d' })
    const path = `/console/causes/${items[0].cause}?since=all`
    const link = async (token: string) => {
      const [, html] = await service.as(token, path, { headers: HTML })
      return /href="([^"]*)">Notify me</.exec(html)?.[1]
    }
    expect([await link('viewer'), await link('tenant')]).toEqual([undefined, undefined])
    const { elements, text } = await page((await link('boss'))!.replaceAll('&amp;', '&'))
    const filled = elements.filter(
      ({ name, attributes }) =>
        (name === 'input' && attributes['value']) || 'selected' in attributes,
    )
    const values = filled.map(({ attributes }) => attributes['value'])
    expect(values).toEqual(
      expect.arrayContaining([`cause-${items[0].cause.slice(0, 8)}`, 'failed', items[0].cause]),
    )
    // Nothing is looked for until somebody asks.
    expect(text).not.toContain('times since')
    const rehearsed = `${(await link('boss'))!.replaceAll('&amp;', '&')}&rehearse=on`
    expect((await page(rehearsed)).text).toMatch(/\d+ occurrences? in the last 7 d/)
  })

  it('has forms whose choices are what is sent, and that wait for their button', async () => {
    const { elements } = await page('/console/settings')
    const values = elements
      .filter(({ name }) => name === 'option')
      .map(({ attributes }) => attributes['value'])
    expect(values).toEqual([
      'failed',
      'recovered',
      'new-cause',
      'corrective',
      'database-full',
      'history-behind',
      'silent',
    ])
    const forms = elements.filter(({ attributes }) => attributes['class'] === 'asks')
    expect(forms.map(({ attributes }) => 'data-still' in attributes)).toEqual([true, true])
  })

  it.each([undefined, 'https://elsewhere.example'])('takes nothing from %s', async (origin) => {
    expect(
      (await send('hooks', { name: 'csrf', transition: 'failed', url: RECEIVER }, origin)).status,
    ).toBe(403)
    expect(await countRows("hooks WHERE name = 'csrf'")).toBe(0)
  })

  it('says what is wrong above the form, which stays as it was sent', async () => {
    const form = { name: 'mistaken', transition: 'failed', filter: 'x', url: 'http://10.0.0.1/' }
    const response = await send('hooks', form, ORIGIN)
    const html = await response.text()
    expect(response.status).toBe(400)
    expect(html).toContain('http://10.0.0.1 is refused')
    expect(html).toContain('value="mistaken"')
  })
})
