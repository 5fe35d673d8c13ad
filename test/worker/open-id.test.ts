/** Sign-in with an OpenID Connect issuer, which the test imitates: who gets in, with which scopes, and what is refused. */

import { generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { CLIENT, imitateIssuer, type ImitatedIssuer } from '../imitated-issuer.ts'
import { store } from './client.ts'
import { closed, tokenLine, type Closed } from './closed.ts'
import { HOUR, run } from './console-runs.ts'
import { readPage } from './page.ts'

const ISSUER = 'https://sso.example.com/realms/ops'
const PEOPLE = `anna@example.com admin
group:ops operate
group:web-team read certname=web-*
group:senders submit
*@example.com read`
const SETTINGS = {
  TOKENS: tokenLine('board', 'read'),
  CONSOLE_KEY: 'forty random characters, more or less ...',
  PUBLIC_URL: 'https://reports.example.com',
  PEOPLE,
  OIDC_ISSUER: ISSUER,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
}
const service = closed(SETTINGS)
/** As a proxy on the same machine asks. */
const ASKED = 'http://127.0.0.1:8787'

let issuer: ImitatedIssuer
beforeAll(() => store(run('web-1.example.com', HOUR), run('db-1.example.com', HOUR)))
beforeEach(async () => {
  issuer = await imitateIssuer(ISSUER)
  issuer.claims = { email: 'carl@example.com' }
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => issuer.answer(new Request(url, init)))
})
afterEach(() => vi.unstubAllGlobals())

/** A browser with its cookies. */
class Browser {
  readonly cookies = new Map<string, string>()

  constructor(private readonly of: Closed = service) {}

  async open(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { accept: 'text/html', cookie, ...(init.headers as object) }
    const response = await this.of.request(path, { redirect: 'manual', ...init, headers }, ASKED)
    for (const text of response.headers.getAll('set-cookie')) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(text) ?? []
      if (/; Max-Age=0(?:;|$)/.test(text)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** Goes to the issuer. @returns where the issuer sends the browser back to */
  async atIssuer(back = '/console/nodes'): Promise<string> {
    const there = await this.open(`/console/sign-in/issuer?back=${encodeURIComponent(back)}`)
    expect(there.status).toBe(303)
    const sent = await issuer.answer(new Request(there.headers.get('location')!))
    const url = new URL(sent.headers.get('location')!)
    expect(url.origin + url.pathname).toBe(
      'https://reports.example.com/console/sign-in/issuer/callback',
    )
    return url.pathname + url.search
  }

  async signIn(back?: string): Promise<Response> {
    return this.open(await this.atIssuer(back))
  }
}

const SESSION = '__Host-console_session'
const textOf = async (response: Response): Promise<string> => (await readPage(response)).text

describe('a person whom the issuer signs in', () => {
  it('is led from the sign-in page to the issuer and back to the page', async () => {
    const browser = new Browser()
    const page = await browser.open('/console/sign-in?back=/console/nodes')
    const text = await page.text()
    expect(text).toContain('With your account at sso.example.com.')
    expect(text).toContain('href="/console/sign-in/issuer?back=%2Fconsole%2Fnodes"')
    const response = await browser.signIn('/console/nodes?state=failed')
    // A page and no redirect: of a strict cookie the browser sends nothing in a navigation that the issuer began.
    expect([response.status, response.headers.get('refresh')]).toEqual([
      200,
      '0; url=/console/nodes?state=failed',
    ])
    expect((await readPage(response.clone())).title).toBe('Signed in · Puppet reports')
    const cookies = response.headers.getAll('set-cookie')
    expect(cookies[0]).toMatch(
      /^__Host-console_session=[^;]+; Max-Age=43\d\d\d; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect(cookies[1]).toMatch(/^__Host-console_sign_in=; Max-Age=0; .*SameSite=Lax$/)
    const nodes = await browser.open('/console/nodes')
    expect(nodes.status).toBe(200)
    expect(await nodes.text()).toContain('web-1.example.com')
    expect(issuer.authentications).toEqual(['client_secret_basic'])
  })

  it.each<[string, object, number, number]>([
    ['an administrator', { email: 'Anna@example.com' }, 200, 200],
    ['an operator by a group', { email: 'x@other.example', groups: ['staff', 'ops'] }, 200, 403],
    ['a group as one text', { email: 'x@other.example', groups: 'ops' }, 200, 403],
    ['a reader by a pattern', { email: 'carl@example.com', email_verified: true }, 200, 403],
  ])('has the scopes of PEOPLE: %s', async (_, claims, reads, administers) => {
    issuer.claims = { ...claims }
    const browser = new Browser()
    await browser.signIn()
    expect((await browser.open('/console/nodes')).status).toBe(reads)
    expect((await browser.open('/console/settings')).status).toBe(administers)
  })

  it('sees the nodes that PEOPLE names', async () => {
    issuer.claims = { email: 'eve@other.example', groups: ['web-team'] }
    const browser = new Browser()
    await browser.signIn()
    const text = await textOf(await browser.open('/console/nodes'))
    expect(text).toContain('You see only nodes named web-*')
    expect(text).not.toContain('db-1.example.com')
  })

  it('is named by claims of the endpoint for user info, where the ID token lacks them', async () => {
    issuer.claims = {}
    issuer.userInfo = { email: 'x@other.example', groups: ['ops'] }
    const browser = new Browser()
    await browser.signIn()
    expect((await browser.open('/console/nodes')).status).toBe(200)
  })

  it('is named by the claims that the settings name', async () => {
    issuer.claims = { preferred_username: 'anna', roles: ['Admins'], email: 'x@other.example' }
    const browser = new Browser(
      closed({
        ...SETTINGS,
        OIDC_NAME_CLAIM: 'preferred_username',
        OIDC_GROUPS_CLAIM: 'roles',
        PEOPLE: 'group:admins admin',
      }),
    )
    await browser.signIn()
    expect((await browser.open('/console/settings')).status).toBe(200)
  })

  it.each([
    ['client_secret_post', ['client_secret_post']],
    ['client_secret_basic', ['client_secret_post', 'client_secret_basic']],
  ])('over %s, if that is what the issuer takes', async (used, supported) => {
    issuer.metadata = { token_endpoint_auth_methods_supported: supported }
    const browser = new Browser()
    await browser.signIn()
    expect(issuer.authentications).toEqual([used])
    expect(browser.cookies.has(SESSION)).toBe(true)
  })

  it('signs out, for every copy of the cookie', async () => {
    const browser = new Browser()
    await browser.signIn()
    const copy = new Map(browser.cookies)
    const headers = { origin: 'https://reports.example.com' }
    const out = await browser.open('/console/sign-out', { method: 'POST', headers })
    expect([out.status, out.headers.get('location')]).toEqual([303, '/console/sign-in'])
    expect(browser.cookies.has(SESSION)).toBe(false)
    for (const [name, value] of copy) browser.cookies.set(name, value)
    expect((await browser.open('/console/nodes')).status).toBe(303)
  })

  it.each([
    ['PEOPLE', { PEOPLE: `${PEOPLE}\n*@third.example read` }],
    ['the issuer', { OIDC_ISSUER: 'https://other.example.com' }],
    ['the client', { OIDC_CLIENT_ID: 'others' }],
    ['the key', { CONSOLE_KEY: 'k'.repeat(40) }],
    ['sign-in with an issuer', { OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }],
  ])('has to sign in again after a change of %s', async (_, change) => {
    const browser = new Browser()
    await browser.signIn()
    const later = new Browser(closed({ ...SETTINGS, ...change }))
    for (const [name, value] of browser.cookies) later.cookies.set(name, value)
    expect((await later.open('/console/nodes')).status).toBe(303)
  })

  it.each([
    [12 * HOUR - 1000, 200],
    [12 * HOUR + 1000, 303],
  ])('%i ms later gets %i', async (passed, status) => {
    const browser = new Browser()
    await browser.signIn()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + passed)
    expect((await browser.open('/console/nodes')).status).toBe(status)
    clock.mockRestore()
  })
})

const seconds = (): number => Math.floor(Date.now() / 1000)
const stranger = await generateKeyPair('RS256')

/** ID tokens and answers that are refused, with the sentence on the page. */
const REFUSED: readonly (readonly [what: string, () => void, sentence: string])[] = [
  [
    'an ID token of another sign-in',
    () => (issuer.claims = { ...issuer.claims, nonce: 'other' }),
    'The ID token belongs to another sign-in.',
  ],
  [
    'an ID token without a nonce',
    () => (issuer.claims = { ...issuer.claims, nonce: undefined }),
    'JWT "nonce" (nonce) claim missing',
  ],
  [
    'an ID token for another client',
    () => (issuer.claims = { ...issuer.claims, aud: 'wiki' }),
    `The ID token is for "wiki", and OIDC_CLIENT_ID is 'reports'.`,
  ],
  [
    'an ID token for two clients, used by the other',
    () => (issuer.claims = { ...issuer.claims, aud: ['reports', 'wiki'], azp: 'wiki' }),
    `The ID token is for "wiki", and OIDC_CLIENT_ID is 'reports'.`,
  ],
  [
    'an ID token of another issuer',
    () => (issuer.claims = { ...issuer.claims, iss: 'https://evil.example' }),
    `The ID token is from "https://evil.example", and OIDC_ISSUER is ${ISSUER}.`,
  ],
  [
    'an ID token that expired longer ago than clocks may differ',
    () => (issuer.claims = { ...issuer.claims, exp: seconds() - 62 }),
    'does not fit the clock of this service',
  ],
  [
    'an ID token that is not signed',
    () => (issuer.sign = (claims) => Promise.resolve(new UnsecuredJWT(claims).encode())),
    'unexpected JWT "alg" header parameter',
  ],
  [
    'an ID token that is not signed, of an issuer that says so',
    () => {
      issuer.metadata = { id_token_signing_alg_values_supported: ['none'] }
      issuer.sign = (claims) => Promise.resolve(new UnsecuredJWT(claims).encode())
    },
    'An answer of the issuer',
  ],
  [
    "an ID token signed with the client's secret",
    () => {
      issuer.metadata = { id_token_signing_alg_values_supported: ['RS256', 'HS256'] }
      issuer.sign = signedBy('HS256', new TextEncoder().encode(CLIENT.secret.padEnd(32, '.')))
    },
    'unsupported JWS algorithm',
  ],
  [
    "an ID token signed with another key under the issuer's name for its own",
    () => (issuer.sign = signedBy('RS256', stranger.privateKey)),
    'JWT signature verification failed',
  ],
  [
    'an ID token signed with a key that the issuer does not publish',
    () => (issuer.sign = signedBy('RS256', stranger.privateKey, 'two')),
    'no applicable keys found',
  ],
  [
    'no claim that names the person',
    () => (issuer.claims = { preferred_username: 'anna' }),
    "The issuer sent no text as the claim 'email', but the claims aud, exp, iat, iss, nonce, preferred_username, sub.",
  ],
  [
    'an address that the issuer has not verified',
    () => (issuer.claims = { email: 'anna@example.com', email_verified: false }),
    "The issuer has not verified the e-mail address 'anna@example.com'.",
  ],
  [
    'a person whom PEOPLE does not name',
    () => (issuer.claims = { email: 'dora@other.example', groups: ['staff', 'it'] }),
    "PEOPLE gives no access to 'dora@other.example' with the groups staff, it.",
  ],
  [
    'a person who may not read',
    () => (issuer.claims = { email: 'dora@other.example', groups: ['senders'] }),
    "PEOPLE gives 'dora@other.example' no scope that may read.",
  ],
  [
    'user info about another person',
    () => {
      issuer.claims = {}
      issuer.userInfo = { sub: 'person-2', email: 'anna@example.com' }
    },
    'unexpected "response" body "sub" property value',
  ],
  ['an endpoint that fails', () => (issuer.failing = { '/token': 500 }), 'An answer of the issuer'],
]

const signedBy =
  (alg: string, key: Parameters<SignJWT['sign']>[0], kid = 'one') =>
  (claims: JWTPayload): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key)

describe('the service refuses', () => {
  it.each(REFUSED)('%s, and says why', async (_, change, sentence) => {
    change()
    const browser = new Browser()
    const response = await browser.signIn()
    expect(response.status).toBe(403)
    expect(browser.cookies.has(SESSION)).toBe(false)
    const { title, text } = await readPage(response)
    expect(title).toBe('Sign in · Puppet reports')
    expect(text).toContain(sentence)
  })

  it('no clock that is a minute late', async () => {
    issuer.claims = { ...issuer.claims, exp: seconds() - 58 }
    expect((await new Browser().signIn()).status).toBe(200)
  })

  it.each<[string, (path: string) => string, string]>([
    ['another state', (path) => path.replace(/state=[^&]*/, 'state=other'), '"state"'],
    ['no state', (path) => path.replace(/&state=[^&]*/, ''), '"state" missing'],
    [
      'the name of another issuer',
      (path) => path.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example'),
      '"iss" (issuer)',
    ],
    ['no name of the issuer', (path) => path.replace(/&iss=[^&]*/, ''), '"iss" (issuer) missing'],
    ['another code', (path) => path.replace(/code=[^&]*/, 'code=other'), "'invalid_grant' (Code"],
    [
      'a refusal',
      (path) => path.replace(/code=[^&]*/, 'error=access_denied&error_description=Not+today.'),
      "The issuer answers 'access_denied' (Not today).",
    ],
  ])('to begin a session for a browser that comes back with %s', async (_, change, sentence) => {
    const browser = new Browser()
    const response = await browser.open(change(await browser.atIssuer()))
    expect(response.status).toBe(403)
    expect(browser.cookies.size).toBe(0)
    expect(await textOf(response)).toContain(sentence)
  })

  it('a state that was used', async () => {
    const browser = new Browser()
    const path = await browser.atIssuer()
    const began = new Map(browser.cookies)
    expect((await browser.open(path)).status).toBe(200)
    const again = await browser.open(path)
    expect(again.status).toBe(403)
    expect(await textOf(again)).toContain('No sign-in began in this browser')
    // A copy of its cookie helps no one: the issuer takes each code once.
    const copied = new Browser()
    for (const [name, value] of began) copied.cookies.set(name, value)
    const replayed = await copied.open(path)
    expect(await textOf(replayed)).toContain("'invalid_grant'")
    expect(copied.cookies.size).toBe(0)
  })

  it("another browser's way back", async () => {
    const path = await new Browser().atIssuer()
    const other = new Browser()
    await other.atIssuer()
    expect(await textOf(await other.open(path))).toContain('"state"')
  })

  it.each([
    ['a cookie of its own making', (value: string) => value.replace(/\..*/, `.${'a'.repeat(43)}`)],
    ['no signature', (value: string) => value.replace(/\..*/, '')],
    [
      'a signature in other letters',
      (value: string) => value.replace(/\..*/, `.${'%C3%A9'.repeat(43)}`),
    ],
  ])('%s', async (_, change) => {
    const browser = new Browser()
    const path = await browser.atIssuer()
    for (const [name, value] of browser.cookies) browser.cookies.set(name, change(value))
    expect(await textOf(await browser.open(path))).toContain('No sign-in began in this browser')
  })

  it.each([
    [10 * 60_000 - 1000, 200],
    [10 * 60_000 + 1000, 403],
  ])('a sign-in that took longer than 10 minutes: %i ms', async (passed, status) => {
    issuer.claims = { ...issuer.claims, exp: seconds() + 3600, iat: seconds() }
    const browser = new Browser()
    const path = await browser.atIssuer()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + passed)
    expect((await browser.open(path)).status).toBe(status)
    clock.mockRestore()
  })

  it.each([
    ['for somebody else', (value: string) => value.replace(/person:[\w-]+/, `person:${ANNA}`)],
    ['for longer', (value: string) => value.replace(/\.(\d+)\./, '.9$1.')],
  ])('a session that was changed: %s', async (_, change) => {
    const browser = new Browser()
    await browser.signIn()
    const value = decodeURIComponent(browser.cookies.get(SESSION)!)
    browser.cookies.set(SESSION, encodeURIComponent(change(value)))
    expect((await browser.open('/console/nodes')).status).toBe(303)
  })
})
const ANNA = Buffer.from('["anna@example.com",[]]').toString('base64url')

describe('what the operator has to set', () => {
  it.each<[string, object, () => unknown, string]>([
    [
      'OIDC_CLIENT_SECRET',
      { OIDC_CLIENT_SECRET: 'other' },
      () => undefined,
      'Check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
    ],
    [
      'OIDC_ISSUER as the issuer calls itself',
      {},
      () => (issuer.metadata = { issuer: 'https://sso.example.com/realms/dev' }),
      `The issuer at ${ISSUER} calls itself "https://sso.example.com/realms/dev": set OIDC_ISSUER to that.`,
    ],
    [
      'the address of an issuer',
      {},
      () => (issuer.failing = { '/.well-known/openid-configuration': 404 }),
      `${ISSUER}/.well-known/openid-configuration answers 404: OIDC_ISSUER must be`,
    ],
  ])('is named on the page: %s', async (_, settings, change, sentence): Promise<void> => {
    change()
    const browser = new Browser(closed({ ...SETTINGS, ...settings }))
    const there = await browser.open('/console/sign-in/issuer')
    const location = there.headers.get('location')
    if (location === null) return expect(await textOf(there)).toContain(sentence)
    const sent = await issuer.answer(new Request(location))
    const url = new URL(sent.headers.get('location')!)
    expect(await textOf(await browser.open(url.pathname + url.search))).toContain(sentence)
  })

  it('includes a reachable issuer', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('Network connection lost.')))
    const response = await new Browser().open('/console/sign-in/issuer')
    expect(response.status).toBe(503)
    expect(await textOf(response)).toContain("The issuer can't be reached at sso.example.com")
  })

  it.each<[string, () => void, string, string]>([
    [
      'an issuer that cannot be reached',
      () => vi.stubGlobal('fetch', () => Promise.reject(new Error('Network connection lost.'))),
      "The issuer can't be reached",
      'errors of reaching the issuer, not logged',
    ],
    [
      'an issuer that calls itself otherwise',
      () => (issuer.metadata = { issuer: 'https://sso.example.com/realms/dev' }),
      'Sign-in refused',
      'refused sign-ins, not logged',
    ],
  ])('is one line a minute, whoever asks: %s', async (_, change, line, counted) => {
    const lines: string[] = []
    for (const level of ['info', 'warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((text: string) => void lines.push(text))
    const begun = Date.now()
    try {
      change()
      // After the minutes of tests before.
      vi.setSystemTime(begun + 10 * 60_000)
      for (let asked = 0; asked < 4; asked++) await new Browser().open('/console/sign-in/issuer')
      expect(
        lines.filter((text) => text.includes(line) && !text.includes('"request"')),
      ).toHaveLength(1)
      vi.setSystemTime(begun + 12 * 60_000)
      await new Browser().open('/console/sign-in/issuer')
      expect(lines.map((text) => JSON.parse(text) as object)).toContainEqual(
        expect.objectContaining({ message: counted, count: 3 }),
      )
    } finally {
      vi.useRealTimers()
      vi.restoreAllMocks()
    }
  })

  it.each([
    [{ OIDC_CLIENT_ID: '' }, "The setting OIDC_CLIENT_ID can't be read"],
    [{ OIDC_ISSUER: '' }, "The setting OIDC_ISSUER can't be read"],
    [{ PEOPLE: '' }, "The setting PEOPLE can't be read: OIDC_ISSUER needs it."],
    [{ OIDC_ISSUER: 'sso.example.com' }, 'the https address of an issuer'],
    [{ OIDC_ISSUER: 'http://sso.example.com' }, 'the https address of an issuer'],
    [{ OIDC_ISSUER: 'https://sso.example.com/?a=b' }, 'the https address of an issuer'],
  ])('is named in an error: %o', async (change, sentence) => {
    const response = await closed({ ...SETTINGS, ...change }).request('/query/v4/nodes')
    expect(response.status).toBe(500)
    expect(await response.text()).toContain(sentence)
  })

  it('without an issuer: there is no such sign-in', async () => {
    const browser = new Browser(
      closed({ ...SETTINGS, OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }),
    )
    expect(await (await browser.open('/console/sign-in')).text()).not.toContain('/sign-in/issuer')
    const response = await browser.open('/console/sign-in/issuer')
    expect([response.status, await textOf(response)]).toEqual([
      404,
      expect.stringContaining('the operator sets OIDC_ISSUER, OIDC_CLIENT_ID and PEOPLE'),
    ])
  })

  it('needs HTTPS, or this machine', async () => {
    const { PUBLIC_URL: _, ...direct } = SETTINGS
    const response = await closed(direct).request(
      '/console/sign-in/issuer',
      { headers: { accept: 'text/html' }, redirect: 'manual' },
      'http://10.0.0.5:8787',
    )
    expect([response.headers.get('location'), await textOf(response)]).toEqual([
      null,
      expect.stringContaining('Sign-in needs HTTPS'),
    ])
  })
})
