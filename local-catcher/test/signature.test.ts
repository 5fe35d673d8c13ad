import { createHmac, generateKeyPairSync, sign as edSign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signatureHeaders, startCatcher, type Scheme } from '../src/index.js'
import { finish, launch, post, type Launched } from './launch.js'

const BODY = '{"a":1,"b":[true]}'
const now = () => Math.floor(Date.now() / 1000)
const hmac = (key: Buffer | string, text: string, hash = 'sha256') =>
  createHmac(hash, key).update(text)
const base64 = (text: string) => Buffer.from(text).toString('base64')

// The last 32 bytes of either are the key itself.
const pair = generateKeyPairSync('ed25519')
const seed = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
const otherPair = generateKeyPairSync('ed25519')

type Headers = Record<string, string>
interface Sender {
  readonly scheme: Scheme
  readonly secret: string
  /** Headers as the sender of the scheme makes them at a time, with the right key or another one. */
  readonly sign: (body: string, time: number, isOther?: boolean) => Headers
  readonly timed: boolean
}

/** A sender whose secret is the key, and the scheme's own secret for a key. */
const hmacSender = (
  scheme: Scheme,
  timed: boolean,
  sign: (key: string, body: string, time: number) => Headers,
  secretOf = (key: string) => key,
): Sender => ({
  scheme,
  timed,
  secret: secretOf('a s3cret of some bytes'),
  sign: (body, time, isOther) => sign(isOther ? 'another' : 'a s3cret of some bytes', body, time),
})
const edSender = (
  scheme: Scheme,
  secret: string,
  sign: (made: (text: string) => Buffer, body: string, time: number) => Headers,
): Sender => ({
  scheme,
  timed: true,
  secret,
  sign: (body, time, isOther) => {
    const { privateKey } = isOther ? otherPair : pair
    return sign((text) => edSign(null, Buffer.from(text), privateKey), body, time)
  },
})

const standardHeaders = (signature: string, time: number) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': `${time}`,
  'webhook-signature': signature,
})

// Each as its own documentation says, and by none of our code.
const SENDERS: Record<string, Sender> = {
  standard: hmacSender(
    'standard',
    true,
    (key, body, time) => {
      const signature = hmac(key, `msg_1.${time}.${body}`).digest('base64')
      return standardHeaders(`v1a,xx v1,${signature}`, time)
    },
    (key) => `whsec_${base64(key)}`,
  ),
  'standard with a key pair': edSender(
    'standard',
    `whpk_${publicKey.toString('base64')}`,
    (made, body, time) =>
      standardHeaders(`v1,xx v1a,${made(`msg_1.${time}.${body}`).toString('base64')}`, time),
  ),
  github: hmacSender('github', false, (key, body) => ({
    'X-Hub-Signature-256': `sha256=${hmac(key, body).digest('hex')}`,
  })),
  stripe: hmacSender('stripe', true, (key, body, time) => ({
    'Stripe-Signature': `t=${time},v1=${hmac(key, `${time}.${body}`).digest('hex')},v0=00`,
  })),
  slack: hmacSender('slack', true, (key, body, time) => ({
    'X-Slack-Signature': `v0=${hmac(key, `v0:${time}:${body}`).digest('hex')}`,
    'X-Slack-Request-Timestamp': `${time}`,
  })),
  shopify: hmacSender('shopify', false, (key, body) => ({
    'X-Shopify-Hmac-SHA256': hmac(key, body).digest('base64'),
  })),
  paddle: hmacSender('paddle', true, (key, body, time) => ({
    'Paddle-Signature': `ts=${time};h1=${hmac(key, `${time}:${body}`).digest('hex')}`,
  })),
  zoom: hmacSender('zoom', true, (key, body, time) => ({
    'x-zm-signature': `v0=${hmac(key, `v0:${time}:${body}`).digest('hex')}`,
    'x-zm-request-timestamp': `${time}`,
  })),
  discord: edSender('discord', publicKey.toString('hex'), (made, body, time) => ({
    'X-Signature-Ed25519': made(`${time}${body}`).toString('hex'),
    'X-Signature-Timestamp': `${time}`,
  })),
  'any HMAC in base64': hmacSender(
    'hmac',
    false,
    (key, body) => ({ 'X-Shop-Hmac': hmac(key, body).digest('base64') }),
    (key) => `X-Shop-Hmac:base64:${key}`,
  ),
  'any HMAC by another hash, with its name before it': hmacSender(
    'hmac',
    false,
    (key, body) => ({ 'X-Sum': `sha1=${hmac(key, body, 'sha1').digest('hex')}` }),
    (key) => `X-Sum:sha1-hex:${key}`,
  ),
}

/** What signs, where the secret only checks. */
const PRIVATE: Headers = {
  [`whpk_${publicKey.toString('base64')}`]: `whsk_${seed.toString('base64')}`,
  [publicKey.toString('hex')]: Buffer.concat([seed, publicKey]).toString('hex'),
}

describe.each(Object.entries(SENDERS))('%s', (_sender, { scheme, secret, sign, timed }) => {
  let catcher: Launched
  beforeAll(async () => {
    catcher = await launch([], { LOCAL_CATCHER_SECRET: `${scheme}:${secret}` })
  })
  afterAll(() => catcher.stop())

  /** The line about the signature for a body sent with these headers. */
  async function verdict(body: string, headers: Headers) {
    await post(catcher.url, body, headers)
    return catcher
      .screen()
      .match(/^signature .*$/gm)!
      .at(-1)!
  }

  it('holds', async () => {
    expect(await verdict(BODY, sign(BODY, now()))).toMatch(
      timed
        ? new RegExp(`^signature ok \\(${scheme}, \\d+ s old\\)$`)
        : new RegExp(`^signature ok \\(${scheme}\\)$`),
    )
  })

  const misfit = 'wrong secret, or the body was altered after it was signed'
  const respelled = (how: string) =>
    `the signature fits the body re-serialised as ${how}: something between the sender and here re-serialised it`
  it.each<[string, string, () => Headers, string]>([
    ['a wrong secret', BODY, () => sign(BODY, now(), true), misfit],
    ['an altered body', '{"a":2}', () => sign(BODY, now()), misfit],
    [
      'a body indented on the way',
      JSON.stringify(JSON.parse(BODY), null, 3),
      () => sign(BODY, now()),
      respelled('compact JSON'),
    ],
    [
      'a body compacted on the way',
      BODY,
      () => sign(JSON.stringify(JSON.parse(BODY), null, 2), now()),
      respelled('JSON indented by 2'),
    ],
    ['no signature', BODY, () => ({}), 'the request has no '],
  ])('names %s', async (_name, body, headers, cause) => {
    const line = await verdict(body, headers())
    expect(line.startsWith(`signature failed (${scheme}): ${cause}`)).toBe(true)
  })

  if (timed)
    it('names an old and a future timestamp', async () => {
      expect(await verdict(BODY, sign(BODY, now() - 400))).toMatch(
        /the timestamp is too old: 40\d s, 300 s are allowed$/,
      )
      expect(await verdict(BODY, sign(BODY, now() + 400))).toMatch(
        /the timestamp is in the future: (400|39\d) s, 300 s are allowed$/,
      )
    })

  it('never prints the secret or the expected value', async () => {
    await verdict(BODY, sign('{}', now()))
    const expected = Object.values(sign(BODY, now()))
      .join()
      .split(/[=,;]/)
      .filter((word) => word.length > 20)
    for (const word of [secret, ...expected])
      expect(catcher.screen().slice(catcher.screen().lastIndexOf('#'))).not.toContain(word)
  })

  it('is made by the same table that checks it', async () => {
    const own = PRIVATE[secret] ?? secret
    const body = Buffer.from(BODY)
    const headers = signatureHeaders({ scheme, secret: own }, body, { id: 'msg_1' })
    expect(await verdict(BODY, Object.fromEntries(headers))).toMatch(/^signature ok /)
    const names = Object.keys(sign(BODY, now())).map((name) => name.toLowerCase())
    expect(headers.map(([name]) => name.toLowerCase()).sort()).toEqual(names.sort())
  })
})

it('cannot sign with a public key', () => {
  const secret = { scheme: 'discord', secret: publicKey.toString('hex') } as const
  expect(() => signatureHeaders(secret, Buffer.from('x'), { id: '' })).toThrow(
    'a public key cannot sign: give the private one',
  )
})

it('takes any of several secrets, and tells of the one that was meant', async () => {
  const secrets = ['github:old', 'github:new', `stripe:${SENDERS.stripe.secret}`]
  await using catcher = await startCatcher({ secret: secrets })
  const stateOf = async (headers: Headers) => {
    catcher.clear()
    await post(catcher.url, BODY, headers)
    const { scheme, state } = catcher.requests[0].signature!
    return `${scheme} ${state}`
  }
  const github = (key: string) => ({
    'X-Hub-Signature-256': `sha256=${hmac(key, BODY).digest('hex')}`,
  })
  expect([await stateOf(github('old')), await stateOf(github('new'))]).toEqual([
    'github verified',
    'github verified',
  ])
  expect(await stateOf(github('neither'))).toBe('github failed')
  expect(await stateOf(SENDERS.stripe.sign(BODY, now()))).toBe('stripe verified')
  expect(await stateOf(SENDERS.stripe.sign(BODY, now(), true))).toBe('stripe failed')
  expect(await stateOf({})).toBe('github failed')
})

it('has secrets for some requests only', async () => {
  await using catcher = await startCatcher({
    secret: ['POST /gh => github:one', { scheme: 'github', secret: 'two', when: { path: '/b/*' } }],
  })
  const headers = {
    'X-Hub-Signature-256': `sha256=${hmac('one', BODY).digest('hex')}`,
  }
  for (const path of ['/gh', '/b/1', '/other']) await post(catcher.url + path, BODY, headers)
  expect(catcher.requests.map(({ signature }) => signature?.state ?? null)).toEqual([
    'verified',
    'failed',
    null,
  ])
})

it('ends with 5 when a signature failed and a count was asked for', async () => {
  const command = `fetch(process.env.LOCAL_CATCHER_URL,{method:'POST',body:'x'})`
  const { code } = await finish([
    '-p',
    '0',
    '-n',
    '1',
    '--secret',
    'github:s',
    '--',
    process.execPath,
    '-e',
    command,
  ])
  expect(code).toBe(5)
})

it.each([
  ['github', '--secret: write it scheme:secret, with standard, github, stripe, slack, shopify'],
  ['gitlab:s3cr3t', '--secret: write it scheme:secret'],
  ['github:', '--secret: the secret is empty'],
  ['standard:not base64!', '--secret: a standard secret is base64'],
  ['standard:whpk_s3cr3tAAAA', '--secret: an Ed25519 key has 32 bytes'],
  ['discord:s3cr3t', '--secret: a discord key is hex: 64 digits of a public'],
  ['hmac:s3cr3t', "--secret: write it 'hmac:X-Signature:hex:secret'"],
])('refuses --secret %s without repeating it', async (text, expected) => {
  const { code, talk } = await finish(['--secret', text])
  expect(code).toBe(2)
  expect(talk).toContain(expected)
  expect(talk).not.toMatch(/s3cr3t|not base64!/)
})

it('is checked by the library too, on the bytes as received', async () => {
  await using catcher = await startCatcher()
  const digest = hmac('gh', BODY).digest('hex')
  await post(catcher.url, BODY, { 'X-Hub-Signature-256': `sha256=${digest}` })
  const request = await catcher.waitFor({ method: 'POST' })
  expect(request.verify('github', 'gh')).toMatchObject({ state: 'verified', cause: null })
  expect(request.verify('github', 'other')).toMatchObject({ state: 'failed' })
})
