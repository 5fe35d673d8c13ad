/** People whom a proxy signs in and names in a header: off without a token that says so. */

import { beforeAll, describe, expect, it } from 'vitest'
import { store } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { HOUR, run } from './console-runs.ts'
import { readPage } from './page.ts'

const HEADERS = 'user-header=X-Remote-User group-header=X-Remote-Groups'
const PEOPLE = `anna@example.com admin
group:Ops operate
group:web-team read certname=web-*
*@example.com read`

const TOKENS = [
  tokenLine('proxy', 'admin', HEADERS),
  tokenLine('narrow', 'read', HEADERS),
  tokenLine('board', 'read'),
].join('\n')
const service = closed({ TOKENS, PEOPLE })

beforeAll(() => store(run('web-1.example.com', HOUR), run('db-1.example.com', HOUR)))

type Named = Readonly<Record<string, string>>
const as = (user: string, groups = ''): Named => ({
  'x-remote-user': user,
  'x-remote-groups': groups,
})

const get = (path: string, headers: Named, token = 'proxy'): Promise<Response> =>
  service.request(path, { headers: { authorization: `Bearer ${token}`, ...headers } })

describe('a person whom the proxy names', () => {
  it.each([
    ['an administrator', as('anna@example.com'), 200, 200],
    ['in other case', as('Anna@Example.com'), 200, 200],
    ['an operator by group', as('bob', 'staff, ops'), 200, 403],
    ['groups as authentik separates them', as('bob', 'staff|ops'), 200, 403],
    ['a reader by a pattern of names', as('carl@example.com', 'staff'), 200, 403],
    ['of no entry', as('dora@other.example', 'staff'), 403, 403],
    ['no name', {}, 403, 403],
    ['an empty name', as(' '), 403, 403],
    ['two names, one of them from the client', as('x@other.example, anna@example.com'), 403, 403],
  ])('%s', async (_, headers, reads, administers) => {
    expect((await get('/pdb/query/v4/nodes', headers)).status).toBe(reads)
    expect((await get('/admin/v1/retention', headers)).status).toBe(administers)
  })

  it('sees the nodes that PEOPLE names, in the console and by the API', async () => {
    const headers = as('eve', 'web-team')
    const nodes: { certname: string }[] = await (await get('/pdb/query/v4/nodes', headers)).json()
    expect(nodes.map(({ certname }) => certname)).toEqual(['web-1.example.com'])
    const page = await readPage(await get('/console/nodes', { ...headers, accept: 'text/html' }))
    expect(page.text).toContain('You see only nodes named web-*')
    expect(page.text).not.toContain('db-1.example.com')
  })

  it('has no scope that the token of the proxy lacks', async () => {
    const headers = as('anna@example.com')
    expect((await get('/pdb/query/v4/nodes', headers, 'narrow')).status).toBe(200)
    expect((await get('/admin/v1/retention', headers, 'narrow')).status).toBe(403)
  })

  it('is told why there is no access', async () => {
    const refused = async (headers: Named): Promise<string> =>
      (await get('/pdb/query/v4/nodes', headers)).text()
    expect(await refused(as('dora', 'a,b'))).toContain(
      "PEOPLE gives no access to 'dora' with the groups a, b.",
    )
    expect(await refused({})).toContain(
      "The proxy with the token 'proxy' doesn't name a person: it must set the header X-Remote-User to one name.",
    )
  })
})

describe('the header alone', () => {
  it.each([
    ['no token', {}, 401],
    ['an unknown token', { authorization: 'Bearer nothing' }, 401],
    ["another program's token, which stays what it is", { authorization: 'Bearer board' }, 403],
  ])('with %s names nobody', async (_, headers, status) => {
    const named = { ...as('anna@example.com'), ...headers }
    expect((await service.request('/admin/v1/retention', { headers: named })).status).toBe(status)
  })

  it("leaves a client's token what it is where the proxy adds its own", async () => {
    const headers = { authorization: 'Bearer proxy', 'x-authentication': 'board' }
    const response = await service.request('/pdb/query/v4/nodes', { headers })
    expect(response.status).toBe(200)
  })

  it("does not let the proxy's token sign in by itself", async () => {
    const response = await closed({ TOKENS, PEOPLE, CONSOLE_KEY: 'k'.repeat(40) }).request(
      '/console/sign-in',
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
        body: 'token=proxy',
      },
      'https://reports.example',
    )
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  it('changes nothing from pages of other sites', async () => {
    const response = await service.request('/admin/v1/cmd', {
      method: 'POST',
      headers: {
        ...as('anna@example.com'),
        authorization: 'Bearer proxy',
        'content-type': 'application/json',
        'sec-fetch-site': 'cross-site',
      },
      body: JSON.stringify({ command: 'delete', version: 1, payload: { certname: 'x' } }),
    })
    expect(response.status).toBe(403)
  })
})

it.each([
  ['restrictions', `${HEADERS} certname=web-*`, 'a token with user-header takes no restrictions'],
  ['groups only', 'group-header=X-Groups', 'group-header needs user-header'],
  [
    'the header of the token',
    'user-header=Authorization',
    'user-header must be the name of a head',
  ],
])('a line of TOKENS with %s is refused', async (_, more, sentence) => {
  const wrong = closed({ TOKENS: tokenLine('proxy', 'admin', more) })
  const response = await wrong.request('/query/v4/nodes')
  expect(await response.text()).toContain(sentence)
})
