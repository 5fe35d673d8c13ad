/** People who signed in by Cloudflare Access, which is taken at its signed word only. */

import { afterEach, describe, expect, it, vi } from 'vitest'
import { closed } from './closed.ts'

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
}
const newKey = async (): Promise<CryptoKeyPair> =>
  (await crypto.subtle.generateKey(RSA, true, ['sign', 'verify'])) as CryptoKeyPair
const ours = await newKey()
const theirs = await newKey()

/** The keys that the team publishes; asked for over the network, which is all that stands in here. */
const published = [
  {
    ...((await crypto.subtle.exportKey('jwk', ours.publicKey)) as object),
    kid: 'one',
    alg: 'RS256',
  },
]
let fetched: string[] = []
const publish = (answer: () => Response): void => {
  fetched = []
  vi.stubGlobal('fetch', (url: string) => {
    fetched.push(url)
    return Promise.resolve(answer())
  })
}
afterEach(() => vi.unstubAllGlobals())

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const now = (): number => Math.floor(Date.now() / 1000)

async function assertion(claims: object, header: object = {}, key = ours): Promise<string> {
  const text = `${part({ alg: 'RS256', kid: 'one', ...header })}.${part(claims)}`
  const signed = await crypto.subtle.sign(RSA.name, key.privateKey, new TextEncoder().encode(text))
  return `${text}.${Buffer.from(signed).toString('base64url')}`
}

/** Each test is of a team of its own, as keys are remembered. */
let teams = 0
function service() {
  const team = `team${++teams}`
  const { request } = closed({
    ACCESS_TEAM: team,
    ACCESS_AUDIENCE: 'tag-of-the-application',
    ACCESS_ADMINS: 'Boss@example.com, *@ops.example.com',
  })
  const good = {
    iss: `https://${team}.cloudflareaccess.com`,
    aud: ['tag-of-another', 'tag-of-the-application'],
    exp: now() + 3600,
    nbf: now() - 10,
    email: 'ann@example.com',
  }
  const ask = async (jwt: string, path = '/query/v4/nodes') => {
    const response = await request(path, { headers: { 'cf-access-jwt-assertion': jwt } })
    return [response.status, await response.text()] as const
  }
  return { ask, good, team }
}

const keysAreThere = (): void => publish(() => Response.json({ keys: published }))

describe('a person', () => {
  it('may read, and the keys are fetched once', async () => {
    keysAreThere()
    const { ask, good, team } = service()
    expect((await ask(await assertion(good)))[0]).toBe(200)
    expect((await ask(await assertion(good), '/meta/v1/version'))[0]).toBe(200)
    expect(fetched).toEqual([`https://${team}.cloudflareaccess.com/cdn-cgi/access/certs`])
  })

  it.each([
    ['ann@example.com', 403],
    ['boss@example.com', 404],
    ['anyone@ops.example.com', 404],
    ['boss@example.com.evil.example', 403],
  ])('%s as administrator: %i', async (email, status) => {
    keysAreThere()
    const { ask, good } = service()
    const [found, text] = await ask(await assertion({ ...good, email }), '/admin/v1/nothing')
    expect(found).toBe(status)
    if (status === 403) expect(text).toBe(`This needs the scope admin; person '${email}' has read.`)
  })

  it('may be a program with a service token of Access', async () => {
    keysAreThere()
    const { ask, good } = service()
    const program = { ...good, email: undefined, common_name: 'grafana.access' }
    expect((await ask(await assertion(program)))[0]).toBe(200)
  })
})

describe('an assertion is not taken', () => {
  it.each<[string, object, object, CryptoKeyPair]>([
    ['of another team', { iss: 'https://other.cloudflareaccess.com' }, {}, ours],
    ['for another application', { aud: ['tag-of-another'] }, {}, ours],
    ['for no application', { aud: undefined }, {}, ours],
    ['beyond its end', { exp: now() - 120 }, {}, ours],
    ['without an end', { exp: undefined }, {}, ours],
    ['before its time', { nbf: now() + 600 }, {}, ours],
    ['of nobody', { email: '' }, {}, ours],
    ['signed by another key', {}, {}, theirs],
    ['of a key nobody published', {}, { kid: 'two' }, theirs],
    ['of no key', {}, { kid: undefined }, ours],
    ['unsigned', {}, { alg: 'none' }, ours],
    ['signed with the public key as a password', {}, { alg: 'HS256' }, ours],
  ])('%s', async (_, claims, header, key) => {
    keysAreThere()
    const { ask, good } = service()
    const jwt = await assertion({ ...good, ...claims }, header, key)
    expect(await ask(jwt)).toEqual([401, 'What was presented gives no access here.'])
  })

  it.each(['', 'x', 'a.b.c', 'e30.e30.', '..', `${part({ alg: 'RS256', kid: 'one' })}.e30.AAAA`])(
    'that is none: %s',
    async (jwt) => {
      keysAreThere()
      expect((await service().ask(jwt))[0]).toBe(401)
    },
  )

  it('changed after it was signed', async () => {
    keysAreThere()
    const { ask, good } = service()
    const [head, , signature] = (await assertion(good)).split('.')
    const forged = `${head}.${part({ ...good, email: 'boss@example.com' })}.${signature}`
    expect((await ask(forged))[0]).toBe(401)
  })

  it('of unknown keys, however many, makes the keys be fetched once', async () => {
    keysAreThere()
    const { ask, good } = service()
    for (const kid of ['two', 'three', 'four']) await ask(await assertion(good, { kid }, theirs))
    expect(fetched).toHaveLength(1)
  })
})

describe('while the keys can not be fetched', () => {
  it('nobody is told from anybody: 503 with Retry-After', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    publish(() => new Response('', { status: 500 }))
    const { ask, good } = service()
    expect(await ask(await assertion(good))).toEqual([
      503,
      "The keys of Cloudflare Access can't be fetched right now.",
    ])
    vi.restoreAllMocks()
  })
})
