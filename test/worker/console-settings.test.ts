/** The console's page of settings: who sees it, and its forms for hooks. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ask, countRows, request } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { runsOf, storeInTime } from './fleets.ts'
import { page, readPage } from './page.ts'

const RECEIVER = 'https://hooks.example.com/secret-path'

beforeAll(async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response(null)))
  await storeInTime(...runsOf('fails', 'F'), ...runsOf('breaks', '-F-'))
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
    expect(html.includes('<a href="/console/settings" data-go="s">Settings</a>')).toBe(is)
  })

  it('names tokens with what they may, and never their digests', async () => {
    const [, html] = await service.as('boss', '/console/settings', { headers: HTML })
    expect(html).toContain('boss')
    expect(html).toContain('2030-01-31')
    expect(html).toContain('web-*')
    expect(html).not.toMatch(/[0-9a-f]{64}/)
    expect(html).toContain('npm run token')
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
    expect(await (await send('hooks/by-form/test', {}, ORIGIN)).text()).toContain(
      'Test of hook by-form: the receiver accepted it (200).',
    )
    const { html } = await page('/console/settings')
    expect(html).toContain('node silent 6 h')
    expect(html).not.toContain('whsec_')
    expect(await (await send('hooks/by-form/delete', {}, ORIGIN)).text()).toContain(
      'Hook by-form was deleted.',
    )
  })

  it.each([
    ['failed', { environment: 'lab' }, 'environment = "lab"', true],
    [
      'failed',
      { environment: 'lab', filter: 'noop = true' },
      'environment = "lab" and (noop = true)',
      true,
    ],
    ['corrective', { filter: 'noop = true' }, 'noop = true', false],
  ])('of the event %s with %j saves the filter %s', async (transition, fields, filter, keeps) => {
    const { items } = await ask('/insight/v1/causes', { since: '90d' })
    const { cause } = items[0]
    const form = { name: 'fields', transition, hours: '4', url: RECEIVER, cause, ...fields }
    await (await send('hooks', form, ORIGIN)).text()
    const saved = (await ask('/admin/v1/hooks')).find(
      ({ name }: { name: string }) => name === 'fields',
    )
    expect([saved.filter, saved.cause]).toEqual([filter, keeps ? cause : ''])
    await send('hooks/fields/delete', {}, ORIGIN)
  })

  it('previews nothing unasked', async () => {
    const { text } = await page('/console/settings?name=one&transition=failed')
    expect(text).not.toContain('in the last 7 days')
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
    const previewed = `${(await link('boss'))!.replaceAll('&amp;', '&')}&preview=on`
    expect((await page(previewed)).text).toMatch(/\d+ events? in the last 7 days/)
  })

  it.each([
    ['none', 'It would have sent nothing in this time. This is the test message in', '0 events'],
    ['breaks', 'One message about all events below, in', '1 event'],
  ])('previews a notification about the failures of %s', async (certname, said, events) => {
    const filter = new URLSearchParams({ filter: `certname = "${certname}"` }).toString()
    const path = `/console/settings?name=one&transition=failed&${filter}&preview=on`
    const { text } = await page(path)
    expect(text).toContain(said)
    expect(text).toContain(`${events} in the last 7 days`)
    expect(text.includes('This notification would have sent nothing.')).toBe(certname === 'none')
  })

  it('has a form whose choices are what is sent', async () => {
    const { elements } = await page('/console/settings')
    const valuesOf = (field: string) =>
      elements
        .filter(({ name, attributes }) => name === 'input' && attributes['name'] === field)
        .map(({ attributes }) => attributes['value'])
    expect(valuesOf('format')).toEqual(['slack', 'teams', 'discord', 'email', 'webhook'])
    expect(valuesOf('transition')).toEqual([
      'failed',
      'recovered',
      'new-cause',
      'corrective',
      'database-full',
      'history-behind',
      'silent',
    ])
  })

  it.each([undefined, 'https://elsewhere.example'])('takes nothing from %s', async (origin) => {
    expect(
      (await send('hooks', { name: 'csrf', transition: 'failed', url: RECEIVER }, origin)).status,
    ).toBe(403)
    expect(await countRows("hooks WHERE name = 'csrf'")).toBe(0)
  })

  it.each<[field: string, form: Record<string, string>, sentence: string]>([
    ['url', { url: 'http://10.0.0.1/' }, 'http://10.0.0.1 is refused'],
    ['name', { name: '' }, 'Enter a name.'],
    [
      'hours',
      { transition: 'silent', hours: 'few' },
      "hours can't be 'few': expected a whole number from 1 to 720.",
    ],
    ['filter', { filter: 'environment = production' }, 'Expected'],
    ['format', { url: 'https://discord.com/api/webhooks/1/x' }, 'takes the format "discord" only'],
  ])('says at the field %s what is wrong, and keeps the form', async (field, parts, sentence) => {
    const form = {
      name: 'mistaken',
      transition: 'failed',
      format: 'slack',
      url: RECEIVER,
      ...parts,
    }
    const answered = await readPage(await send('hooks', form, ORIGIN))
    expect(answered.status).toBe(400)
    const [problem] = await answered.texts(`p#hook-${field}-help.failed`)
    expect(problem).toContain(sentence)
    const kept = answered.elements.find(
      ({ name, attributes }) => name === 'input' && attributes['name'] === 'name',
    )
    expect(kept!.attributes['value']).toBe(form.name)
    if (field !== 'format')
      expect(
        answered.elements.find(({ attributes }) => attributes['aria-invalid'])!.attributes['name'],
      ).toBe(field)
  })

  it('changes a hook, and keeps its URL and secret unless another is given', async () => {
    const form = { name: 'edited', transition: 'failed', format: 'slack', url: RECEIVER }
    const parts = { environment: 'production', nodes: 'web-*.x', filter: 'noop = false' }
    await send('hooks', { ...form, ...parts }, ORIGIN)
    const hook = async () =>
      (await ask('/admin/v1/hooks')).find(({ name }: { name: string }) => name === 'edited')
    const filter = 'environment = "production" and certname ~ "^web-.*\\\\.x$" and (noop = false)'
    expect(await hook()).toMatchObject({ format: 'slack', filter })
    const { elements } = await page('/console/settings?edit=edited')
    const valueOf = (field: string) =>
      elements.find(({ attributes }) => attributes['name'] === field)!.attributes['value']
    expect(['nodes', 'filter', 'url'].map(valueOf)).toEqual(['web-*.x', 'noop = false', ''])
    const changes = { transition: 'silent', hours: '9', format: 'teams', url: '' }
    const kept = await (await send('hooks/edited/edit', changes, ORIGIN)).text()
    expect(kept).toContain('Hook edited was changed.')
    expect(kept).not.toContain('whsec_')
    expect(await hook()).toMatchObject({
      ...{ transition: 'silent', hours: 9, format: 'teams', filter: '' },
      to: 'https://hooks.example.com/…',
    })
    const replaced = await send('hooks/edited/edit', { ...changes, new_secret: 'on' }, ORIGIN)
    expect(await replaced.text()).toMatch(/whsec_/)
    expect((await send('hooks/nobody/edit', changes, ORIGIN)).status).toBe(404)
    await send('hooks/edited/delete', {}, ORIGIN)
  })
})
