/** The console of a closed service: who gets in, for how long, and what the others see. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { store } from './client.ts'
import { closed, tokenLine, type Closed } from './closed.ts'
import { counting } from './database.ts'
import { report } from './reports.ts'

const CONSOLE_KEY = 'forty random characters, more or less ...'
const ORIGIN = 'http://127.0.0.1'
const TOKENS = [
  tokenLine('reader', 'read'),
  tokenLine('sender', 'submit'),
  tokenLine('stager', 'read', 'environment=staging'),
].join('\n')
const service = closed({ TOKENS, CONSOLE_KEY })
const HTML = { accept: 'text/html' }

/** Sign-ins are for HTTPS and for this machine. */
const local = (of: Closed, path: string, init: RequestInit = {}): Promise<Response> =>
  of.request(path, { redirect: 'manual', ...init }, ORIGIN)

const signIn = (
  token: string,
  headers: Record<string, string> = { origin: ORIGIN },
  of = service,
  back = '/console/nodes',
) =>
  local(of, '/console/sign-in', {
    method: 'POST',
    headers: { ...headers, ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token, back }),
  })

const cookieOf = (response: Response): string => response.headers.get('set-cookie')!.split(';')[0]!

beforeAll(() =>
  store(report({ certname: 'web-1' }), report({ certname: 'web-2', environment: 'staging' })),
)

describe('the console of a closed service', () => {
  it('leads a browser to the sign-in, and back', async () => {
    const response = await local(service, '/console/nodes?state=failed', { headers: HTML })
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/console/sign-in?back=%2Fconsole%2Fnodes%3Fstate%3Dfailed',
    ])
  })

  it('tells a program what the API does', async () => {
    expect((await local(service, '/console/nodes.json')).status).toBe(401)
  })

  it('takes a token that may read, and gives a cookie that scripts and other sites never see', async () => {
    const response = await signIn('reader')
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console/nodes'])
    expect(response.headers.get('set-cookie')).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/)
    const page = await local(service, '/console/nodes', {
      headers: { ...HTML, cookie: cookieOf(response) },
    })
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('web-1')
  })

  it.each([
    ['/console/é?q=ü', '/console/%C3%A9?q=%C3%BC'],
    ['/console/nodes?state=failed#top', '/console/nodes?state=failed#top'],
    ['/console', '/console'],
    ['/console/../admin/v1/archive', '/console'],
    ['/console/%2e%2e/admin', '/console'],
    ['//evil.example/console', '/console'],
    ['https://evil.example/console', '/console'],
    ['/consolecat', '/console'],
  ])('leads back to %s as %s', async (back, location) => {
    const response = await signIn('reader', { origin: ORIGIN }, service, back)
    expect(response.headers.get('location')).toBe(location)
  })

  it('over HTTPS the cookie is bound to the host', async () => {
    const response = await service.request(
      '/console/sign-in',
      {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: 'https://service.example', ...HTML },
        body: new URLSearchParams({ token: 'reader' }),
      },
      'https://service.example',
    )
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-console_session=.*; Secure/)
  })

  it.each([
    ['sender', 403, 'This token is valid, but may not read.'],
    ['nobody', 401, 'Token not accepted.'],
    ['', 401, 'Token not accepted.'],
  ])('does not take %j, and says why', async (token, status, sentence) => {
    const response = await signIn(token)
    expect(response.status).toBe(status)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(await response.text()).toContain(sentence)
  })

  it('has one field on the page for the token, and none that would put it into an address', async () => {
    const page = await (await local(service, '/console/sign-in', { headers: HTML })).text()
    const fields = page.match(/<input(?! type="hidden")[^>]*>/g)
    expect(fields).toHaveLength(1)
    expect(fields![0]).toMatch(/type="password".*autofocus/s)
    expect(page).not.toContain('/console/search')
  })

  it('takes a sign-in from its own pages only', async () => {
    expect((await signIn('reader', { origin: 'https://elsewhere.example' })).status).toBe(403)
    expect((await signIn('reader', {})).status).toBe(403)
  })

  it.each([
    ['that says so', (body: string) => ({ body, headers: { 'content-length': '20000' } })],
    ['that says nothing', (body: string) => ({ body: new Blob([body]).stream(), headers: {} })],
  ])('takes no large form from whoever is not known yet: one %s', async (_, requestOf) => {
    const { body, headers } = requestOf('token='.padEnd(20_000, 'a'))
    const response = await local(service, '/console/sign-in', {
      method: 'POST',
      headers: { ...headers, origin: ORIGIN },
      body,
    })
    expect([response.status, await response.text()]).toEqual([
      413,
      'A form may have at most 16384 bytes.',
    ])
  })

  it('says what the operator has to set', async () => {
    const response = await local(closed({ TOKENS }), '/console/sign-in', { headers: HTML })
    expect(await response.text()).toContain('CONSOLE_KEY')
  })

  it.each([
    ['the token is taken away', { TOKENS: tokenLine('other', 'read'), CONSOLE_KEY }],
    ['the key is another', { TOKENS, CONSOLE_KEY: CONSOLE_KEY.toUpperCase() }],
  ])('a sign-in ends when %s', async (_, settings) => {
    const cookie = cookieOf(await signIn('reader'))
    const response = await local(closed(settings), '/console', { headers: { ...HTML, cookie } })
    expect(response.status).toBe(303)
  })

  it('a sign-in ends when its reader signs out, for every copy of the cookie, but not for others', async () => {
    const [cookie, other] = [cookieOf(await signIn('reader')), cookieOf(await signIn('stager'))]
    const statusOf = async (sent: string, of = service) =>
      (await local(of, '/console', { headers: { ...HTML, cookie: sent } })).status
    expect([await statusOf(cookie), await statusOf(other)]).toEqual([200, 200])
    const response = await local(service, '/console/sign-out', {
      method: 'POST',
      headers: { ...HTML, cookie, origin: ORIGIN },
    })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console/sign-in'])
    expect(response.headers.get('set-cookie')).toMatch(/^console_session=; Max-Age=0/)
    expect([await statusOf(cookie), await statusOf(other)]).toEqual([303, 200])
    const elsewhere = closed({ TOKENS, CONSOLE_KEY }, { DB: counting().database })
    expect([await statusOf(cookie, elsewhere), await statusOf(other, elsewhere)]).toEqual([
      303, 200,
    ])
  })

  it('another isolate notices a sign-out after 30 seconds', async () => {
    const cookie = cookieOf(await signIn('reader'))
    const elsewhere = closed({ TOKENS, CONSOLE_KEY }, { DB: counting().database })
    const status = async () =>
      (await local(elsewhere, '/console', { headers: { ...HTML, cookie } })).status
    expect(await status()).toBe(200)
    const headers = { ...HTML, cookie, origin: ORIGIN }
    await local(service, '/console/sign-out', { method: 'POST', headers })
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 30_001)
    expect(await status()).toBe(303)
    clock.mockRestore()
  })

  it.each([
    ['for somebody else', (cookie: string) => cookie.replace('reader', 'stager')],
    ['for longer', (cookie: string) => cookie.replace(/\.(\d+)\./, '.9$1.')],
    ['without a signature', (cookie: string) => cookie.replace(/[^.]*$/, '')],
  ])('a cookie that was changed is nobody’s: %s', async (_, change) => {
    const cookie = change(cookieOf(await signIn('reader')))
    const response = await local(service, '/console', { headers: { ...HTML, cookie } })
    expect(response.status).toBe(303)
  })

  it('shows the rows that the token may see, and says that it is restricted', async () => {
    const cookie = cookieOf(await signIn('stager'))
    const headers = { ...HTML, cookie }
    const text = await (await local(service, '/console/nodes', { headers })).text()
    expect(text).toContain('web-2')
    expect(text).not.toContain('web-1')
    expect(text).toContain('You see only environment staging.')
    const queried = await local(service, '/console/query.json?q=nodes%20%7B%7D', { headers })
    expect(await queried.json()).toHaveLength(1)
  })
})

describe('the console at the address that PUBLIC_URL names', () => {
  const PUBLIC_URL = 'https://reports.example.com'
  const proxied = closed({ TOKENS, CONSOLE_KEY, PUBLIC_URL })
  /** How a proxy that ended TLS passes requests on: with the browser's Host, or with its own address. */
  const hosts = ['http://reports.example.com', 'http://127.0.0.1:8787', 'http://10.0.0.5:8787']
  const form = (host: string, origin: string, of = proxied, headers: object = {}) =>
    of.request(
      '/console/sign-in',
      {
        method: 'POST',
        redirect: 'manual',
        headers: { origin, ...HTML, ...headers },
        body: new URLSearchParams({ token: 'reader' }),
      },
      host,
    )

  describe.each(hosts)('over a proxy that asks for %s', (host) => {
    it('shows the form, and signs in with a cookie for HTTPS', async () => {
      const page = await proxied.request('/console/sign-in', { headers: HTML }, host)
      expect(await page.text()).not.toContain('Sign-in needs HTTPS')
      const response = await form(host, PUBLIC_URL)
      expect(response.status).toBe(303)
      expect(response.headers.get('set-cookie')).toMatch(/^__Host-console_session=.*; Secure/)
      const headers = { ...HTML, cookie: cookieOf(response) }
      const fleet = await proxied.request('/console', { headers, redirect: 'manual' }, host)
      expect(fleet.status).toBe(200)
      const end = { method: 'POST', headers: { ...headers, origin: PUBLIC_URL } }
      const out = await proxied.request('/console/sign-out', { ...end, redirect: 'manual' }, host)
      expect(out.headers.get('set-cookie')).toMatch(/^__Host-console_session=; Max-Age=0/)
      expect(
        (await proxied.request('/console', { headers, redirect: 'manual' }, host)).status,
      ).toBe(303)
    })

    it.each(['https://elsewhere.example', 'http://reports.example.com.evil.example', 'null'])(
      'refuses forms from %s, and says which address it has',
      async (origin) => {
        const response = await form(host, origin)
        expect(response.status).toBe(403)
        const text = await response.text()
        expect(text).toContain(`This one came from ${origin}, and the service's PUBLIC_URL is`)
        expect(text).toContain('https://reports.example.com')
      },
    )
  })

  it('without it says what the form came from, and what to set', async () => {
    // For the browser, which speaks TLS to the proxy, the form is of the same site.
    const seen = { 'sec-fetch-site': 'same-origin' }
    const response = await form('http://127.0.0.1:8787', PUBLIC_URL, service, seen)
    expect(response.status).toBe(403)
    const text = await response.text()
    expect(text).toContain(
      'This one came from https://reports.example.com, and this service was asked as http://127.0.0.1:8787. If a proxy serves it as the former, its operator sets PUBLIC_URL.',
    )
    expect(text).not.toContain('Sign in with a token')
  })

  it('over plain HTTP without a proxy is still refused to other machines', async () => {
    const direct = 'http://10.0.0.5:8787'
    const response = await form(direct, direct)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(await response.text()).toContain('Sign-in needs HTTPS')
    const page = await service.request('/console/sign-in', { headers: HTML }, direct)
    expect(await page.text()).toContain('If a proxy ends TLS, its operator sets PUBLIC_URL')
  })

  it('lets the operator of the machine sign in beside the proxy', async () => {
    const response = await form('http://127.0.0.1:8787', 'http://127.0.0.1:8787')
    expect(response.status).toBe(303)
    const page = await proxied.request(
      '/console',
      { headers: { ...HTML, cookie: cookieOf(response) }, redirect: 'manual' },
      'http://127.0.0.1:8787',
    )
    expect(page.status).toBe(200)
  })

  it('is the address in commands that pages show', async () => {
    const page = await closed({ ACCESS: 'open', PUBLIC_URL }).request(
      '/console/query?q=nodes%20%7B%7D',
      { headers: HTML },
      'http://127.0.0.1:8787',
    )
    expect(await page.text()).toContain('curl -G https://reports.example.com/query/v4')
  })

  it.each([
    ['reports.example.com', 'an address such as https://reports.example.com, without a path'],
    [
      'https://reports.example.com/puppet',
      'an address such as https://reports.example.com, without a path',
    ],
    ['ftp://reports.example.com', 'an address such as https://reports.example.com, without a path'],
  ])('is never %s', async (value, sentence) => {
    const response = await closed({ TOKENS, PUBLIC_URL: value }).request(
      '/console/sign-in',
      {},
      ORIGIN,
    )
    expect(response.status).toBe(500)
    expect(await response.text()).toContain(sentence)
  })
})
