/** People who signed in by Cloudflare Access, which is taken at its signed word only. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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

type Signing = (text: string) => Promise<string>

const publicKeyOf = { theirs: await crypto.subtle.exportKey('jwk', theirs.publicKey) }
const spki = Uint8Array.from(
  new Uint8Array((await crypto.subtle.exportKey('spki', ours.publicKey)) as ArrayBuffer),
)
const encode = (text: string) => Uint8Array.from(new TextEncoder().encode(text))
const pem = encode(
  `-----BEGIN PUBLIC KEY-----\n${Buffer.from(spki).toString('base64')}\n-----END PUBLIC KEY-----\n`,
)
const modulus = encode(
  ((await crypto.subtle.exportKey('jwk', ours.publicKey)) as JsonWebKey).n ?? '',
)

/** What is known to everybody, used as if it were a secret. */
const hmacWith =
  (password: Uint8Array<ArrayBuffer>): Signing =>
  async (text) => {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', password, algorithm, false, ['sign'])
    return Buffer.from(await crypto.subtle.sign('HMAC', key, encode(text))).toString('base64url')
  }

/** The right key, with another hash. */
const rsaWith =
  (hash: string): Signing =>
  async (text) => {
    const jwk = (await crypto.subtle.exportKey('jwk', ours.privateKey)) as JsonWebKey
    delete jwk.alg
    const algorithm = { name: RSA.name, hash }
    const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign'])
    return Buffer.from(await crypto.subtle.sign(RSA.name, key, encode(text))).toString('base64url')
  }

/** Each test is of a team of its own, as keys are remembered. */
let teams = 0
function service() {
  const team = `team${++teams}`
  const { request } = closed({
    ACCESS_TEAM: team,
    ACCESS_AUDIENCE: 'tag-of-the-application',
    ACCESS_ADMINS: 'Boss@example.com, *@ops.example.com',
    ACCESS_OPERATORS: 'On-Call@example.com',
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
  return { ask, good, team, request }
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

  it.each([
    ['ann@example.com', 403],
    ['on-call@example.com', 404],
    ['boss@example.com', 404],
  ])('%s as operator: %i', async (email, status) => {
    keysAreThere()
    const { ask, good, request } = service()
    const init = {
      method: 'DELETE',
      headers: { 'cf-access-jwt-assertion': await assertion({ ...good, email }) },
    }
    expect((await request('/insight/v1/queries/none', init)).status).toBe(status)
    expect((await ask(await assertion({ ...good, email }), '/admin/v1/nothing'))[0]).toBe(
      email === 'boss@example.com' ? 404 : 403,
    )
  })

  it('may be a program with a service token of Access', async () => {
    keysAreThere()
    const { ask, good } = service()
    const program = { ...good, email: undefined, common_name: 'grafana.access' }
    expect((await ask(await assertion(program)))[0]).toBe(200)
  })
})

describe('an assertion is refused', () => {
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
    ['of two teams', { iss: ['https://other.cloudflareaccess.com'] }, {}, ours],
    ['for an application of a longer name', { aud: 'tag-of-the-application-2' }, {}, ours],
    ['for an application by way of an object', { aud: { 0: 'tag-of-the-application' } }, {}, ours],
    ['for an application in a list of lists', { aud: [['tag-of-the-application']] }, {}, ours],
    ['that ends as a text says', { exp: String(now() + 3600) }, {}, ours],
    ['that ends at no time', { exp: null }, {}, ours],
    ['that begins as a text says', { nbf: String(now() - 10) }, {}, ours],
    ['that is longer than any of Access', { more: 'x'.repeat(20_000) }, {}, ours],
    ['of several people', { email: ['boss@example.com'] }, {}, ours],
    ['of a program without a name', { email: undefined, common_name: '' }, {}, ours],
    ['whose key is a list', {}, { kid: ['one'] }, ours],
    ['whose key is what every object has', {}, { kid: '__proto__' }, ours],
    ['that calls its algorithm otherwise', {}, { alg: 'rs256' }, ours],
    ['that calls its algorithm HS256', {}, { alg: 'HS256' }, ours],
    ['that brings its key along', {}, { jwk: publicKeyOf.theirs }, theirs],
    ['that says where its key is', {}, { jku: 'https://other.cloudflareaccess.com' }, theirs],
  ])('%s', async (_, claims, header, key) => {
    keysAreThere()
    const { ask, good } = service()
    const jwt = await assertion({ ...good, ...claims }, header, key)
    expect(await ask(jwt)).toEqual([401, 'These credentials give no access here.'])
  })

  it.each(['', 'x', 'a.b.c', 'e30.e30.', '..', `${part({ alg: 'RS256', kid: 'one' })}.e30.AAAA`])(
    'that is none: %s',
    async (jwt) => {
      keysAreThere()
      expect((await service().ask(jwt))[0]).toBe(401)
    },
  )

  it.each<[what: string, alg: string, sign: Signing]>([
    ['by the public key, as PEM, as a password', 'HS256', hmacWith(pem)],
    ['by the public key, as DER, as a password', 'HS256', hmacWith(spki)],
    ['by the public key, as it is published, as a password', 'HS256', hmacWith(modulus)],
    [
      'by the public key as a password, under the name of another algorithm',
      'RS256',
      hmacWith(pem),
    ],
    ['by nothing', 'none', () => Promise.resolve('')],
    ['by a byte', 'none', () => Promise.resolve('AA')],
    ['by the right key, by another hash', 'RS384', rsaWith('SHA-384')],
    [
      'by the right key, by another hash, under the name of the right one',
      'RS256',
      rsaWith('SHA-384'),
    ],
  ])('signed %s', async (_, alg, sign) => {
    keysAreThere()
    const { ask, good } = service()
    const text = `${part({ alg, kid: 'one', typ: 'JWT' })}.${part(good)}`
    expect((await ask(`${text}.${await sign(text)}`))[0]).toBe(401)
  })

  it.each([
    ['that ended half a minute ago', { exp: now() - 30 }, 200],
    ['for one application, not in a list', { aud: 'tag-of-the-application' }, 200],
    ['that begins in half a minute', { nbf: now() + 30 }, 200],
  ])('but one is: %s', async (_, claims, status) => {
    keysAreThere()
    const { ask, good } = service()
    expect((await ask(await assertion({ ...good, ...claims })))[0]).toBe(status)
  })

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
  it('everyone gets 503 with Retry-After', async () => {
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

describe('when the team changes its keys', () => {
  afterEach(() => void vi.useRealTimers())
  const MINUTE = 60_000
  const START = Date.now()
  const later = (milliseconds: number): void => void vi.setSystemTime(START + milliseconds)
  const newKid = { kid: 'two' }
  let keys: object[] = []
  beforeEach(() => {
    later(0)
    keys = published
    publish(() => Response.json({ keys }))
  })

  it('a new key is accepted within two minutes, beside the old one', async () => {
    const { ask, good } = service()
    const [before, after] = [await assertion(good), await assertion(good, newKid, theirs)]
    expect((await ask(before))[0]).toBe(200)
    keys = [...published, { ...publicKeyOf.theirs, kid: 'two' }]
    expect((await ask(after))[0]).toBe(401)
    later(2 * MINUTE)
    expect((await ask(after))[0]).toBe(200)
    expect((await ask(before))[0]).toBe(200)
    expect(fetched).toHaveLength(2)
  })

  it('a withdrawn key is accepted for at most an hour', async () => {
    const { ask, good } = service()
    const old = await assertion({ ...good, exp: now() + 7200 })
    expect((await ask(old))[0]).toBe(200)
    keys = []
    later(59 * MINUTE)
    expect((await ask(old))[0]).toBe(200)
    later(62 * MINUTE)
    expect((await ask(old))[0]).toBe(401)
  })

  it('and the fetch fails, known keys stay valid, and the fetch is retried once a minute', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { ask, good } = service()
    const ofKnownKey = await assertion({ ...good, exp: now() + 7200 })
    expect((await ask(ofKnownKey))[0]).toBe(200)
    publish(() => new Response('', { status: 500 }))
    for (const minutes of [62, 62.2, 62.4, 64]) {
      later(minutes * MINUTE)
      expect((await ask(ofKnownKey))[0]).toBe(200)
    }
    expect(fetched).toHaveLength(2)
    error.mockRestore()
  })

  it('many simultaneous requests cause one fetch', async () => {
    const { ask, good } = service()
    const ofUnknownKey = await assertion(good, newKid, theirs)
    const ofKnownKey = await assertion(good)
    const comeAtOnce = async () => {
      const answers = await Promise.all(
        [ofUnknownKey, ofKnownKey].flatMap((one) => [ask(one), ask(one), ask(one)]),
      )
      return answers.map(([status]) => status)
    }
    expect(await comeAtOnce()).toEqual([401, 401, 401, 200, 200, 200])
    expect(fetched).toHaveLength(1)
    later(2 * MINUTE)
    expect(await comeAtOnce()).toEqual([401, 401, 401, 200, 200, 200])
    expect(fetched).toHaveLength(2)
  })

  it('and the first fetch fails, it is retried after some seconds', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    publish(() => new Response('', { status: 500 }))
    const { ask, good } = service()
    const ofKnownKey = await assertion(good)
    expect((await ask(ofKnownKey))[0]).toBe(503)
    publish(() => Response.json({ keys }))
    expect((await ask(ofKnownKey))[0]).toBe(503)
    later(MINUTE / 10)
    expect((await ask(ofKnownKey))[0]).toBe(200)
    error.mockRestore()
  })
})
