import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signatureHeaders, startCatcher } from '../src/index.js'
import { verifySignature } from '../src/signature.js'
import { finish, launch, post, type Launched } from './launch.js'
import { hmac, SENDERS, type Headers } from './senders/signers.js'

const BODY = '{"a":1,"b":[true]}'
const now = () => Math.floor(Date.now() / 1000)

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
  it.each<[string, string, () => Headers, string]>([
    ['a wrong secret', BODY, () => sign(BODY, now(), true), misfit],
    ['an altered body', '{"a":2}', () => sign(BODY, now()), misfit],
    ['no signature', BODY, () => ({}), 'the request has no '],
  ])('names %s', async (_name, body, headers, cause) => {
    const line = await verdict(body, headers())
    expect(line.startsWith(`signature failed (${scheme}): ${cause}`)).toBe(true)
  })

  if (timed)
    it('names an old and a future timestamp', async () => {
      const past = scheme === 'paddle' ? 5 : 300
      expect(await verdict(BODY, sign(BODY, now() - 400))).toMatch(
        new RegExp(`the timestamp is too old: 40\\d s, ${past} s are allowed$`),
      )
      expect(await verdict(BODY, sign(BODY, now() + 400))).toMatch(
        ['stripe', 'paddle'].includes(scheme)
          ? /^signature ok \(\w+, (400|39\d) s ahead\)$/
          : /the timestamp is in the future: (400|39\d) s, 300 s are allowed$/,
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
    const body = Buffer.from(BODY)
    const headers = signatureHeaders({ scheme, secret }, body, { id: 'msg_1' })
    expect(await verdict(BODY, Object.fromEntries(headers))).toMatch(/^signature ok /)
    const names = Object.keys(sign(BODY, now())).map((name) => name.toLowerCase())
    expect(headers.map(([name]) => name.toLowerCase()).sort()).toEqual(names.sort())
  })
})

describe('fits, but receivers refuse it', () => {
  type Change = (value: string) => string
  const upper: Change = (value) => value.replace(/[\da-f]{64}/, (hex) => hex.toUpperCase())
  const behind =
    (text: string): Change =>
    (value) =>
      value.replace(/[\da-f]{64}/, (hex) => hex + text)
  const url: Change = (value) => value.replaceAll('+', '-').replaceAll('/', '_')
  const bare: Change = (value) => value.replace(/=+$/, '')
  it.each<[scheme: string, what: string, change: Change, flaw: string]>([
    ['github', 'in upper case', upper, 'upper-case hex'],
    ['github', 'with junk', behind('zz'), 'characters that are not hex'],
    ['github', 'behind sha1', (value) => `sha1=abc, ${value}`, "not written as 'sha256=…'"],
    ['github', 'twice', (value) => `sha256=00,${value}`, "not written as 'sha256=…'"],
    ['github', 'between words', (value) => `foo ${value} bar`, "not written as 'sha256=…'"],
    ['stripe', 'in upper case', upper, 'upper-case hex'],
    ['stripe', 'with junk', behind('zz'), 'characters that are not hex'],
    ['stripe', 'after a blank', (value) => value.replace(',', ', '), "not written as 't=…,v1=…'"],
    ['stripe', 'after ;', (value) => value.replace(',', ';'), "not written as 't=…,v1=…'"],
    ['standard', 'without padding', bare, 'base64 without its padding'],
    ['standard', 'with junk', (value) => `${value}!`, 'characters that are not base64'],
    ['standard', 'in a list', (value) => value.replace(' ', ','), "is not written as 'v1,…'"],
    ['shopify', 'in base64url', url, 'base64url instead of base64'],
    ['shopify', 'without padding', bare, 'base64 without its padding'],
    ['shopify', 'named', (value) => `sha256=${value}`, "not written as '…'"],
    ['shopify', 'after a word', (value) => `x ${value}`, "not written as '…'"],
    ['shopify', 'with junk', (value) => `${value}!!`, 'characters that are not base64'],
    ['slack', 'in upper case', upper, 'upper-case hex'],
    ['slack', 'with junk', behind('zz'), 'characters that are not hex'],
    ['slack', 'twice', (value) => `v0=00,${value}`, "not written as 'v0=…'"],
    ['zoom', 'in upper case', upper, 'upper-case hex'],
    ['paddle', 'after a blank', (value) => value.replace(';', '; '), "not written as 'ts=…;h1=…'"],
  ])('%s, %s', (name, _what, change, flaw) => {
    const { scheme, secret, sign } = SENDERS[name]
    // A signature with the characters that the other alphabet lacks, and others.
    for (let second = 0; second < 20; second++) {
      const time = now() - second
      const body = `{"second":${second}}`
      const headers = Object.entries(sign(body, time)).map(([key, value]): [string, string] => {
        return [key, /(signature|256)$/i.test(key) ? change(value) : value]
      })
      const request = { time: new Date(), bytes: Buffer.from(body), truncated: false, headers }
      const { state, cause } = verifySignature({ scheme, secret }, request)
      // Not every signature has the characters that another alphabet writes otherwise.
      if (Object.values(sign(body, time)).every((value) => change(value) === value)) continue
      expect(state).toBe('failed')
      expect(cause).toContain(`the signature fits, but receivers of ${scheme} refuse it: `)
      expect(cause).toContain(flaw)
    }
  })

  it('standard, under mixed names, and under the names of Svix', () => {
    const { secret, sign } = SENDERS.standard
    const verdict = (rename: (name: string) => string) => {
      const headers = Object.entries(sign(BODY, now())).map(([name, value]): [string, string] => {
        return [rename(name), value]
      })
      const request = { time: new Date(), bytes: Buffer.from(BODY), truncated: false, headers }
      return verifySignature({ scheme: 'standard', secret }, request)
    }
    expect(verdict((name) => name.replace('webhook', 'svix')).state).toBe('verified')
    expect(verdict((name) => name.replace('webhook-t', 'svix-t')).cause).toContain(
      'or the names of its headers are mixed',
    )
  })
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
  ['github', '--secret: write it scheme:secret; schemes are standard'],
  ['svix:s3cr3t', 'schemes are standard (also for Svix), github, stripe, slack, shopify, paddle'],
  ['gitlab:s3cr3t', '--secret: write it scheme:secret'],
  ['github:', '--secret: the secret is empty'],
  ['standard:not base64!', '--secret: a standard secret is base64'],
  ['standard:whpk_s3cr3tAAAA', '--secret: a standard secret is base64, after whsec_ or nothing'],
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
