/** Who is let in, to what, and what the others are told. */

import { describe, expect, it } from 'vitest'
import { api, app } from '../../worker/app.ts'
import { CONSOLE_ROUTES } from '../../worker/console/routes.ts'
import type { Route } from '../../worker/http/router.ts'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'
import { JSON_TYPE, request as openRequest } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { report } from './reports.ts'

const TOKENS = [
  tokenLine('sender', 'submit'),
  tokenLine('reader', 'read'),
  tokenLine('both', 'submit,read'),
  tokenLine('boss', 'admin'),
  tokenLine('tenant', 'admin', 'environment=production'),
  tokenLine('yesterday', 'read', 'expires=2020-01-01'),
  tokenLine('tomorrow', 'read', 'expires=2100-01-01T00:00:00Z'),
].join('\n')
const service = closed({ TOKENS })

const basic = (user: string, password: string): string => `Basic ${btoa(`${user}:${password}`)}`

describe('every route', () => {
  const pathsOf = (table: readonly Route[]): string[] =>
    table.flatMap(({ mounts, path }) => mounts.map((prefix) => prefix + path))
  // Those of the console are registered by the first request to it.
  const routes = [...api.routes.map(({ path }) => path), ...pathsOf(CONSOLE_ROUTES)].filter(
    (path) => path !== '/*',
  )

  it.each(['/query/v4/nodes', '/insight/v1/fleet', '/console', '/nothing'])(
    'is answered so that no cache keeps it, and no browser guesses its type: %s',
    async (path) => {
      const { headers } = await service.request(path)
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': expect.stringMatching(/^private, no-/),
      })
    },
  )

  it('is a row of a table with its required scope', () => {
    const rows = pathsOf([...CONSOLE_ROUTES, ...EVERY_ROUTE])
    expect(rows.length).toBeGreaterThan(50)
    expect(routes.filter((path) => !rows.includes(path))).toEqual([
      // Leads browsers to the console, and passes everyone else on.
      '/',
    ])
  })

  it('that shows the whole database refuses restricted tokens', async () => {
    const guarded = api.routes.filter(({ path }) => /^(\/pdb)?\/(admin|metrics)(\/|$)/.test(path))
    const answers = await Promise.all(
      guarded.map(async ({ method, path }) => {
        const filledPath = path.replace(/:\w+|\*/g, 'x')
        const verb = method === 'ALL' ? 'GET' : method
        const [status, text] = await service.as('tenant', filledPath, { method: verb })
        return [method, path, status, text]
      }),
    )
    expect(guarded.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/metrics', '/metrics/v2/*', '/pdb/admin/v1/archive']),
    )
    const sentence = "This shows all nodes and environments; token 'tenant' is restricted to some."
    expect(answers).toEqual(guarded.map(({ method, path }) => [method, path, 403, sentence]))
  })

  it('refuses requests without credentials, except the status for load balancers', async () => {
    const open: string[] = []
    for (const path of new Set(routes)) {
      const filledPath = path.replace(/:\w+(\{.*?\})?/g, 'x').replace('*', 'x')
      for (const method of ['GET', 'POST', 'PUT']) {
        const { status } = await service.request(filledPath, { method })
        if (status !== 401) open.push(path)
      }
    }
    expect(new Set(open)).toEqual(
      new Set([
        '/status/v1/simple',
        '/status/v1/simple/puppetdb-status',
        // What a browser needs to show the sign-in, and the sign-in itself.
        '/console/assets/*',
        '/console/sign-in',
        '/console/sign-in/issuer',
        '/console/sign-in/issuer/callback',
        '/console/sign-out',
      ]),
    )
  })

  it.each(['/', '/nothing', '/pdb', '/pdb/nothing', '/query', '/.env', '//query/v4', '/QUERY/v4'])(
    'that there is none of (%s) tells outsiders what the others do',
    async (path) => {
      const none = await service.request(path)
      const nodes = await service.request('/query/v4/nodes')
      expect([none.status, await none.text()]).toEqual([401, await nodes.text()])
      expect((await service.as('reader', path))[0]).toBe(404)
    },
  )
})

describe('a token is accepted', () => {
  it.each([
    ['as bearer', { authorization: 'Bearer reader' }],
    ['whatever the case of the scheme', { authorization: 'bearer reader' }],
    ["in PuppetDB's own header", { 'x-authentication': 'reader' }],
    ['as the password of any user', { authorization: basic('whoever', 'reader') }],
    ['as the password of no user', { authorization: basic('', 'reader') }],
    [
      'beside one that is none',
      { authorization: basic('None', 'None'), 'x-authentication': 'reader' },
    ],
    ['before its end', { 'x-authentication': 'tomorrow' }],
  ])('%s', async (_, headers) => {
    expect((await service.request('/pdb/query/v4/nodes', { headers })).status).toBe(200)
  })
})

const NOT_ACCEPTED = 'These credentials give no access here.'

describe('credentials that give no access', () => {
  it.each([
    ['an unknown token', { authorization: 'Bearer stranger' }],
    ['one beyond its end', { authorization: 'Bearer yesterday' }],
    ['the beginning of one', { authorization: 'Bearer read' }],
    ['one with something behind it', { authorization: 'Bearer readers' }],
    ['one in another case', { authorization: 'Bearer READER' }],
    ['the digest that is stored', { authorization: `Bearer ${TOKENS.split(/\s/)[2]}` }],
    ['a token as user', { authorization: basic('reader', 'x') }],
    ['what pypuppetdb sends when it has nothing', { authorization: basic('None', 'None') }],
    ['an assertion nobody asked for', { 'cf-access-jwt-assertion': 'e30.e30.e30' }],
  ])('%s is told so in one sentence', async (_, headers) => {
    const response = await service.request('/query/v4/nodes', { headers })
    expect([response.status, await response.text()]).toEqual([401, NOT_ACCEPTED])
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="report query service", error="invalid_token", Basic realm="report query service", charset="UTF-8"',
    )
  })

  it.each([{}, { authorization: '' }, { authorization: 'Digest x' }, { 'x-authentication': '' }])(
    'presenting nothing (%j) is told what to present',
    async (headers) => {
      const response = await service.request('/query/v4/nodes', { headers })
      expect(response.status).toBe(401)
      expect(await response.text()).toContain('Send a token: as `Authorization: Bearer TOKEN`')
      expect(response.headers.get('www-authenticate')).toBe(
        'Bearer realm="report query service", Basic realm="report query service", charset="UTF-8"',
      )
    },
  )

  it('a script of a page gets no header that would open the sign-in dialog of the browser', async () => {
    const headers = { 'sec-fetch-mode': 'cors' }
    const response = await service.request('/query/v4/nodes', { headers })
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="report query service"')
  })

  it('a service without any access settings names the setting to add', async () => {
    const response = await closed({}).request('/query/v4/nodes')
    expect(response.status).toBe(401)
    expect(await response.text()).toContain(
      'Its operator sets the secret TOKENS: `npm run token -- --name NAME --scope read`',
    )
  })

  it('checking them does not query the database', async () => {
    const bindings = { ACCESS: 'closed', TOKENS, DB: undefined }
    const response = await app.fetch(new Request('http://x/query/v4/nodes'), bindings)
    expect(response.status).toBe(401)
  })
})

describe('scopes', () => {
  const command = report({ certname: 'scopes' })

  it.each([
    ['sender', 403, 200],
    ['reader', 200, 403],
    ['both', 200, 200],
    ['boss', 200, 200],
  ])('%s: reading %i, submitting %i', async (token, reading, submitting) => {
    expect((await service.as(token, '/query/v4/nodes'))[0]).toBe(reading)
    expect((await service.submit(token, command))[0]).toBe(submitting)
    expect((await service.as(token, '/pdb/meta/v1/version'))[0]).toBe(200)
    expect((await service.as(token, '/status/v1/services/puppetdb-status'))[0]).toBe(200)
  })

  it('a refusal names the rule', async () => {
    const headers = { authorization: 'Bearer sender' }
    const response = await service.request('/query/v4/nodes', { headers })
    expect(await response.text()).toBe("This needs the scope read; token 'sender' has submit.")
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="report query service", error="insufficient_scope", scope="read"',
    )
  })
})

describe('an open service', () => {
  it.each([{}, { authorization: basic('None', 'None') }, { authorization: 'Bearer yesterday' }])(
    'looks at nothing that is presented: %j',
    async (headers) => {
      expect((await openRequest('/pdb/query/v4/nodes', { headers })).status).toBe(200)
    },
  )
})

describe('pages of other sites', () => {
  // The last two are as browsers send them to plain HTTP, of which they don't say `sec-fetch-site`.
  it.each([
    [403, 'cross-site', { 'sec-fetch-site': 'cross-site' }],
    [403, 'same-site', { 'sec-fetch-site': 'same-site' }],
    [200, 'same-origin', { 'sec-fetch-site': 'same-origin' }],
    [200, 'none', { 'sec-fetch-site': 'none' }],
    [403, 'another origin', { origin: 'http://elsewhere.example' }],
    [200, 'the origin itself', { origin: 'http://service.example' }],
  ])('%i for a POST of %s', async (status, _, headers) => {
    const init = { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: '{}' }
    expect((await openRequest('/pdb/query/v4/nodes', init)).status).toBe(status)
  })
})

describe('the error for an unreadable setting has its name, and not its text', () => {
  const digest = 'a'.repeat(64)
  it.each([
    ['TOKENS', 'ci read secret-itself', 'entry 1: its third word must be the SHA-256 of the token'],
    ['TOKENS', `ci read ${digest}\nci read ${digest}`, 'entry 2: another one has the same name'],
    ['TOKENS', `ci write ${digest}`, 'entry 1: its scopes must be of submit, read, operate, admin'],
    [
      'TOKENS',
      `ci read`,
      'entry 1: its form is NAME SCOPE[,SCOPE…] SHA256 [certname=…] [environment=…] [expires=…]',
    ],
    ['TOKENS', `ci read ${digest} node=web`, 'entry 1: its form is NAME SCOPE[,SCOPE…] SHA256'],
    [
      'TOKENS',
      `ci read ${digest} certname=`,
      'entry 1: the words after the first ones must be key=value',
    ],
    ['TOKENS', `ci read ${digest} certname=a,`, 'entry 1: certname holds an empty name'],
    [
      'TOKENS',
      `ci read ${digest} environment=prod*`,
      'entry 1: environment takes names, not patterns',
    ],
    ['TOKENS', `ci read ${digest} expires=soon`, 'entry 1: expires must be a date'],
    [
      'CLIENT_CERTIFICATES',
      'secret-itself',
      'entry 1: its form is NAME SCOPE[,SCOPE…] [certname=…] [environment=…]',
    ],
    ['ACCESS_TEAM', 'https://secret-itself', 'it needs the name before .cloudflareaccess.com'],
    ['ACCESS_AUDIENCE', '', 'ACCESS_TEAM needs it too'],
    ['CONSOLE_KEY', 'secret-itself', 'expected at least 32 random characters'],
    ['ACCESS', 'opened', "expected one of closed, open. Did you mean 'open'?"],
  ])('%s=%j', async (name, value, sentence) => {
    const team = name === 'ACCESS_AUDIENCE' ? { ACCESS_TEAM: 'ours' } : {}
    const response = await closed({ ...team, [name]: value }).request('/query/v4/nodes')
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).toContain(`The setting ${name} can't be read: ${sentence}`)
    expect(text).not.toContain('secret-itself')
  })

  it('is told to load balancers too', async () => {
    const balancer = '/status/v1/simple'
    expect((await closed({ TOKENS: '' }).request(balancer)).status).toBe(200)
    expect((await closed({ TOKENS: 'ci read' }).request(balancer)).status).toBe(500)
  })
})
