/** Saved views: who may save which addresses, and what everyone sees. */

import { describe, expect, it } from 'vitest'
import { countRows, request } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { page, readPage } from './page.ts'

const ORIGIN = 'http://service.example'
const send = (form: Record<string, string>, origin = ORIGIN) =>
  request('/console/views', {
    method: 'POST',
    headers: { accept: 'text/html', origin },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })

const VIEW = '/console/nodes?state=failed&env=production&since=7d'

describe('views', () => {
  it('are saved from the menu of a page, listed for everyone, and deleted', async () => {
    const { elements } = await page(VIEW)
    const hrefs = elements.map(({ attributes }) => attributes['href']?.replaceAll('&amp;', '&'))
    const link = hrefs.find((href) => href?.startsWith('/console/saved?of='))!
    expect(new URL(link, ORIGIN).searchParams.get('of')).toBe(VIEW)
    const form = await page(link)
    const field = form.elements.find(({ attributes }) => attributes['name'] === 'address')!
    expect(field.attributes['value']!.replaceAll('&amp;', '&')).toBe(VIEW)
    const saved = await send({ do: 'save', title: 'Failing in production', address: VIEW })
    expect([saved.status, saved.headers.get('location')]).toEqual([302, '/console/saved'])
    expect((await page('/console/saved')).links).toContain(VIEW)
    await send({ do: 'save', title: 'Failing in production', address: '/console?layout=wall' })
    expect((await page('/console/saved')).links).toContain('/console?layout=wall')
    await send({ do: 'delete', title: 'Failing in production' })
    expect((await page('/console/saved')).text).toContain('Nothing is saved.')
  })

  it.each([
    ['an address elsewhere', { title: 'x', address: 'https://evil.example/' }],
    ['one that a browser leads elsewhere', { title: 'x', address: '//evil.example/' }],
    ['a script', { title: 'x', address: 'javascript:alert(1)' }],
    ['no title', { title: ' ', address: VIEW }],
    ['a long title', { title: 'x'.repeat(201), address: VIEW }],
  ])('are refused with %s', async (_, form) => {
    const answered = await readPage(await send({ do: 'save', ...form }))
    expect(answered.status).toBe(400)
    expect((await answered.texts('[role=alert]'))[0]).toMatch(/^A view /)
    expect(await countRows('saved_views')).toBe(0)
  })

  it('are not saved from another site', async () => {
    const form = { do: 'save', title: 'csrf', address: VIEW }
    expect((await send(form, 'https://elsewhere.example')).status).toBe(403)
    expect(await countRows('saved_views')).toBe(0)
  })

  it('are saved with the scope operate only', async () => {
    const TOKENS = [tokenLine('viewer', 'read'), tokenLine('shift', 'read,operate')].join('\n')
    const service = closed({ TOKENS })
    const save = (token: string) =>
      service.as(token, '/console/views', {
        method: 'POST',
        headers: { accept: 'text/html', origin: ORIGIN },
        body: new URLSearchParams({ do: 'save', title: 'mine', address: VIEW }),
        redirect: 'manual',
      })
    expect((await save('viewer'))[0]).toBe(403)
    expect((await save('shift'))[0]).toBe(302)
    const [, html] = await service.as('viewer', VIEW, { headers: { accept: 'text/html' } })
    expect(html).toContain('href="/console/saved"')
    expect(html).not.toContain('Save this view')
    await send({ do: 'delete', title: 'mine' })
  })
})
