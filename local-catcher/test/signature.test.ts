import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCatcher, type Scheme } from '../src/index.js'
import { finish, launch, post, type Launched } from './launch.js'

const BODY = '{"a":1,"b":[true]}'
const KEY = Buffer.from('a secret of some bytes')
const SECRETS = {
  standard: `whsec_${KEY.toString('base64')}`,
  github: 'gh-s3cret',
  stripe: 'whsec_st-s3cret',
  slack: 'sl-s3cret',
}
const OTHER = Buffer.from('another secret').toString('base64')
const now = () => Math.floor(Date.now() / 1000)
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text)

/** Headers as the sender of each scheme makes them. */
function sign(scheme: Scheme, body: string, secret: string, time = now()): Record<string, string> {
  const hex = (text: string) => hmac(secret, text).digest('hex')
  switch (scheme) {
    case 'standard': {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
      const signature = hmac(key, `msg_1.${time}.${body}`).digest('base64')
      return {
        'webhook-id': 'msg_1',
        'webhook-timestamp': `${time}`,
        'webhook-signature': `v1a,xx v1,${signature}`,
      }
    }
    case 'github':
      return { 'X-Hub-Signature-256': `sha256=${hex(body)}` }
    case 'stripe':
      return { 'Stripe-Signature': `t=${time},v1=${hex(`${time}.${body}`)},v0=00` }
    case 'slack':
      return {
        'X-Slack-Signature': `v0=${hex(`v0:${time}:${body}`)}`,
        'X-Slack-Request-Timestamp': `${time}`,
      }
  }
}

const SCHEMES: Scheme[] = ['standard', 'github', 'stripe', 'slack']

describe.each(SCHEMES)('%s', (scheme) => {
  const secret = SECRETS[scheme]
  const timed = scheme !== 'github'
  let catcher: Launched
  beforeAll(async () => {
    catcher = await launch([], { LOCAL_CATCHER_SECRET: `${scheme}:${secret}` })
  })
  afterAll(() => catcher.stop())

  /** The line about the signature for a body sent with these headers. */
  async function verdict(body: string, headers: Record<string, string>) {
    await post(catcher.url, body, headers)
    return catcher
      .screen()
      .match(/^signature .*$/gm)!
      .at(-1)!
  }

  it('holds', async () => {
    const expected = timed
      ? new RegExp(`^signature ok \\(${scheme}, \\d+ s old\\)$`)
      : /^signature ok \(github\)$/
    expect(await verdict(BODY, sign(scheme, BODY, secret))).toMatch(expected)
  })

  it.each<[string, string, () => Record<string, string>, string]>([
    [
      'a wrong secret',
      BODY,
      () => sign(scheme, BODY, OTHER),
      'wrong secret, or the body was altered after it was signed',
    ],
    [
      'an altered body',
      '{"a":2}',
      () => sign(scheme, BODY, secret),
      'wrong secret, or the body was altered after it was signed',
    ],
    [
      'a body indented on the way',
      JSON.stringify(JSON.parse(BODY), null, 3),
      () => sign(scheme, BODY, secret),
      'the signature fits the body re-serialised as compact JSON: something between the sender and here re-serialised it',
    ],
    [
      'a body compacted on the way',
      BODY,
      () => sign(scheme, JSON.stringify(JSON.parse(BODY), null, 2), secret),
      'the signature fits the body re-serialised as JSON indented by 2: something between the sender and here re-serialised it',
    ],
    ['no signature', BODY, () => ({}), 'the request has no '],
  ])('names %s', async (_name, body, headers, cause) => {
    const line = await verdict(body, headers())
    expect(line.startsWith(`signature failed (${scheme}): ${cause}`)).toBe(true)
  })

  if (timed)
    it('names an old and a future timestamp', async () => {
      expect(await verdict(BODY, sign(scheme, BODY, secret, now() - 400))).toMatch(
        /the timestamp is too old: 40\d s, 300 s are allowed$/,
      )
      expect(await verdict(BODY, sign(scheme, BODY, secret, now() + 400))).toMatch(
        /the timestamp is in the future: (400|39\d) s, 300 s are allowed$/,
      )
    })

  it('never prints the secret or the expected value', async () => {
    await verdict(BODY, sign(scheme, '{}', secret))
    const expected = Object.values(sign(scheme, BODY, secret))
      .join()
      .split(/[=,]/)
      .filter((word) => word.length > 20)
    for (const word of [secret, ...expected])
      expect(catcher.screen().slice(catcher.screen().lastIndexOf('#'))).not.toContain(word)
  })
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
  ['github', '--secret: write it scheme:secret, with standard, github, stripe, slack as scheme'],
  ['gitlab:s3cr3t', '--secret: write it scheme:secret'],
  ['github:', '--secret: the secret is empty'],
  ['standard:not base64!', '--secret: a standard secret is base64'],
])('refuses --secret %s without repeating it', async (text, expected) => {
  const { code, talk } = await finish(['--secret', text])
  expect(code).toBe(2)
  expect(talk).toContain(expected)
  expect(talk).not.toMatch(/s3cr3t|not base64!/)
})

it('is checked by the library too, on the bytes as received', async () => {
  await using catcher = await startCatcher()
  await post(catcher.url, BODY, sign('github', BODY, 'gh'))
  const request = await catcher.waitFor({ method: 'POST' })
  expect(request.verify('github', 'gh')).toMatchObject({ state: 'verified', cause: null })
  expect(request.verify('github', 'other')).toMatchObject({ state: 'failed' })
})
