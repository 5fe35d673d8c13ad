import { verify as verifyGitHub } from '@octokit/webhooks-methods'
import { createHash, createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Pair } from '../src/content.js'
import { verifySignature, type Scheme } from '../src/signature.js'
import { sized } from './launch.js'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const BODY = '{"id":"evt_1","total":12}'
const KEY = 'a s3cret of some bytes'
const CODED = Buffer.from(KEY).toString('base64')

const sign = (text: string, encoding: 'hex' | 'base64', key = KEY) =>
  createHmac('sha256', key).update(text).digest(encoding)

/** Headers as Node gives them: in lower case, with the values of one name joined. */
type Joined = Readonly<Record<string, string>>
const joined = (headers: readonly Pair[]): Joined =>
  Object.fromEntries(
    headers.map(([name]) => {
      const same = headers.filter(([each]) => each.toLowerCase() === name.toLowerCase())
      return [name.toLowerCase(), same.map(([, value]) => value).join(', ')]
    }),
  )

interface Receiver {
  readonly secret?: string
  /** The headers of a good request, signed at a time. */
  readonly headers: (time: number, key?: string) => readonly Pair[]
  /** What the receivers of the scheme say of these headers. */
  readonly takes: (headers: Joined, body: string) => boolean | Promise<boolean>
  /** Forms that a library for JavaScript takes, and one for another language refuses. */
  readonly stricter?: (headers: Joined) => boolean
}

const holds = (verify: () => unknown) => {
  try {
    verify()
    return true
  } catch {
    return false
  }
}
const isDigits = (text = '') => /^[1-9]\d*$/.test(text)
const standard = new StandardWebhook(CODED)
const svix = new SvixWebhook(CODED)

/** Slack's receivers, and Zoom's. */
const versioned = (header: string, timestamp: string): Receiver => ({
  headers: (time, key) => [
    [header, `v0=${sign(`v0:${time}:${BODY}`, 'hex', key)}`],
    [timestamp, `${time}`],
  ],
  takes: ({ [header.toLowerCase()]: signature, [timestamp.toLowerCase()]: time = '' }, body) =>
    isDigits(time) &&
    Math.abs(NOW / 1000 - Number(time)) <= 300 &&
    signature === `v0=${sign(`v0:${time}:${body}`, 'hex')}`,
})

const RECEIVERS: Record<Exclude<Scheme, 'hmac'>, Receiver> = {
  github: {
    headers: (_, key) => [['X-Hub-Signature-256', `sha256=${sign(BODY, 'hex', key)}`]],
    takes: async ({ 'x-hub-signature-256': header = '' }, body) =>
      header !== '' && (await verifyGitHub(KEY, body, header)),
  },
  stripe: {
    headers: (time, key) => [
      ['Stripe-Signature', `t=${time},v1=${sign(`${time}.${BODY}`, 'hex', key)},v0=00`],
    ],
    takes: ({ 'stripe-signature': header = '' }, body) =>
      holds(() => Stripe.webhooks.constructEvent(body, header, KEY, 300, undefined, NOW)),
    // stripe-go refuses entries that are no pair, and parses the timestamp strictly; stripe-python
    // reads the first timestamp where there are several, stripe-node the last one.
    stricter: ({ 'stripe-signature': header = '' }) => {
      const pairs = header.split(',').map((entry) => entry.split('='))
      const times = new Set(pairs.flatMap(([name, time]) => (name === 't' ? [time] : [])))
      return pairs.some(({ length }) => length !== 2) || times.size > 1 || !isDigits([...times][0])
    },
  },
  standard: {
    secret: `whsec_${CODED}`,
    headers: (time, key) => [
      ['webhook-id', 'msg_1'],
      ['webhook-timestamp', `${time}`],
      ['webhook-signature', `v1,${sign(`msg_1.${time}.${BODY}`, 'base64', key)}`],
    ],
    takes: (headers, body) => {
      const has = (start: string) => Object.keys(headers).some((name) => name.startsWith(start))
      const own = { ...headers }
      if (!has('webhook-') && !has('svix-')) return false
      if (has('webhook-') && !holds(() => standard.verify(body, own))) return false
      return !has('svix-') || holds(() => svix.verify(body, own))
    },
    // standardwebhooks for Python takes words apart at their one comma, and for Go parses strictly.
    stricter: (headers) => {
      const words = [headers['webhook-signature'], headers['svix-signature']].flatMap(
        (header) => header?.split(' ') ?? [],
      )
      const times = [headers['webhook-timestamp'], headers['svix-timestamp']]
      return (
        words.some((word) => word.split(',').length !== 2) ||
        times.some((time) => time !== undefined && !isDigits(time))
      )
    },
  },
  // "If the computed digest equals the header": https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: versioned('X-Slack-Signature', 'X-Slack-Request-Timestamp'),
  // The same: https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events
  zoom: versioned('x-zm-signature', 'x-zm-request-timestamp'),
  // The header, compared as text: https://shopify.dev/docs/apps/build/webhooks/subscribe/https
  shopify: {
    headers: (_, key) => [['X-Shopify-Hmac-SHA256', sign(BODY, 'base64', key)]],
    takes: ({ 'x-shopify-hmac-sha256': header }, body) => header === sign(body, 'base64'),
  },
  // https://developer.paddle.com/webhooks/signature-verification; its libraries allow five seconds.
  paddle: {
    headers: (time, key) => [
      ['Paddle-Signature', `ts=${time};h1=${sign(`${time}:${BODY}`, 'hex', key)}`],
    ],
    takes: ({ 'paddle-signature': header = '' }, body) => {
      const pairs = header.split(';').map((entry) => entry.split('='))
      const named = (wanted: string) =>
        pairs.flatMap(([name, value]) => (name === wanted ? [value] : []))
      const [time, ...others] = new Set(named('ts'))
      return (
        pairs.every(({ length }) => length === 2) &&
        others.length === 0 &&
        isDigits(time) &&
        NOW / 1000 - Number(time) <= 5 &&
        named('h1').includes(sign(`${time}:${body}`, 'hex'))
      )
    },
  },
}

type Draw = <Item>(items: readonly Item[]) => Item
type Change = (value: string, draw: Draw, index: (length: number) => number) => string

const at = (value: string, index: number, text: string, instead = 0) =>
  value.slice(0, index) + text + value.slice(index + instead)
const SEPARATORS = [',', ';', ' ', ', ', '; ', '  ', '=', '\t', '']

/** What may become of the value of a header on its way from a careless sender. */
const CHANGES: Readonly<Record<string, Change>> = {
  'upper case': (value) => value.toUpperCase(),
  'lower case': (value) => value.toLowerCase(),
  'upper-case signature': (value) => value.replace(/[\da-z+/]{30,}/i, (word) => word.toUpperCase()),
  'one letter in upper case': (value, _, index) => {
    const place = index(value.length)
    return at(value, place, value.charAt(place).toUpperCase(), 1)
  },
  'no padding': (value) => value.replace(/=+$/, ''),
  'more padding': (value) => `${value}=`,
  base64url: (value) => value.replaceAll('+', '-').replaceAll('/', '_'),
  'the other encoding': (value) =>
    value.replace(/[\da-f]{64}/, (word) => Buffer.from(word, 'hex').toString('base64')),
  'another separator': (value, draw) => value.replace(/[,; ]/, draw(SEPARATORS)),
  'other separators': (value, draw) => value.replaceAll(/[,; ]/g, draw(SEPARATORS)),
  'a list of it twice': (value, draw) => [value, value].join(draw(SEPARATORS)),
  'a bad one before': (value, draw) =>
    [value.replace(/[\da-z+/]{30,}/i, '0'.repeat(64)), value].join(draw(SEPARATORS)),
  'a bad one after': (value, draw) =>
    [value, value.replace(/[\da-z+/]{30,}/i, 'AAAA')].join(draw(SEPARATORS)),
  'an entry before': (value, draw) =>
    draw(['foo', 'v0=00', 'v1=00', 'sha1=abc', 'v1a,xx', 'v2,xx', 't=1', '']) +
    draw(SEPARATORS) +
    value,
  'an entry after': (value, draw) =>
    value +
    draw(SEPARATORS) +
    draw(['bar', 'v0=00', 'v1=00', 'sha1=abc', 'v1a,xx', 'v2,xx', 't=1', '']),
  'a blank': (value, draw, index) => at(value, index(value.length + 1), draw([' ', '\t', '  '])),
  'junk inside': (value, draw, index) =>
    at(value, index(value.length + 1), draw(['z', '!', '=', '-', '_', 'é', '0', ',', '%'])),
  'junk after': (value, draw) => value + draw(['zz', '!!', '==', '0', '00', ',', ';', '.', '"']),
  'junk before': (value, draw) => draw(['zz', '!', '=', '0', ',', '"', 'sha256=', 'v1=']) + value,
  quotes: (value) => `"${value}"`,
  'another character': (value, draw, index) =>
    at(value, index(value.length), draw([...'0aAfz+/=']), 1),
  'one character less': (value, _, index) => at(value, index(value.length), '', 1),
  'a part': (value, _, index) => value.slice(0, index(value.length)),
  'another version': (value, draw) => value.replace(/v1|v0|h1|sha256/, draw(['v2', 'V1', 'sha1'])),
  'another order': (value, draw) => {
    const separator = draw([',', ';', ' '])
    return value.split(separator).reverse().join(separator)
  },
  'a plus before the time': (value) => value.replace(/\d{10}/, (time) => `+${time}`),
  'a zero before the time': (value) => value.replace(/\d{10}/, (time) => `0${time}`),
  'junk after the time': (value, draw) =>
    value.replace(/\d{10}/, (time) => time + draw(['.5', 'x', ' ', '000'])),
  'another time': (value, draw) =>
    value.replace(/\d{10}/, (time) => `${Number(time) + draw([-400, -1, 1, 400])}`),
  nothing: () => '',
}

/** What may become of the headers. */
const MOVES: Readonly<Record<string, (all: Pair[], place: number) => Pair[]>> = {
  'a header twice': (all, place) => [...all, all[place]],
  'another order of headers': (all) => [...all].reverse(),
  'a header less': (all, place) => all.filter((_, index) => index !== place),
  'another case of a name': (all, place) =>
    all.map(([name, value], index) => [index === place ? name.toUpperCase() : name, value]),
  'an old name': (all, place) =>
    all.map(([name, value], index) => [
      index === place ? name.replace('webhook', 'svix') : name,
      value,
    ]),
  'old names': (all) => all.map(([name, value]) => [name.replace('webhook', 'svix'), value]),
  'both names': (all) => [
    ...all,
    ...all.map(([name, value]): Pair => [name.replace('webhook', 'svix'), value]),
  ],
  'an old name too': (all, place) => [...all, [all[place][0].replace('webhook', 'svix'), '1']],
}

/** A good request with up to three mutations, and their names. */
function mutated({ headers }: Receiver, random: () => number) {
  const index = (length: number) => Math.floor(random() * length)
  const draw: Draw = (items) => items[index(items.length)]
  const time = NOW / 1000 + draw([0, 0, 0, -5, -6, 5, -300, 300, -301, 301])
  let all = [...headers(time, draw([undefined, undefined, undefined, undefined, 'another']))]
  const body = draw([BODY, BODY, BODY, BODY, `${BODY} `])
  const names: string[] = []
  for (let count = index(4); count > 0 && all.length > 0; count--) {
    const place = index(all.length)
    const [name, act] = draw([...Object.entries(CHANGES), ...Object.entries(MOVES)])
    names.push(name)
    if (Object.hasOwn(MOVES, name)) {
      all = MOVES[name](all, place)
    } else {
      const change = act as Change
      all = all.map(([name, value], each) =>
        each === place ? [name, change(value, draw, index)] : [name, value],
      )
    }
  }
  // Blanks around a value are not part of it.
  return { names, body, headers: all.map(([name, value]): Pair => [name, value.trim()]) }
}

/** A repeatable sequence of numbers from 0 to 1. */
function seeded(seed: number): () => number {
  let drawn = 0
  return () => createHash('sha256').update(`${seed} ${drawn++}`).digest().readUInt32BE() / 2 ** 32
}

describe('as strict as the strictest receiver', () => {
  beforeAll(() => {
    // The libraries ask for the time.
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  })
  afterAll(() => {
    vi.useRealTimers()
  })

  it.each<[what: string, body: Buffer]>([
    ['UTF-8', Buffer.from('{"a":"é"}')],
    ['Latin-1', Buffer.from('{"a":"é"}', 'latin1')],
    ['UTF-8 behind a byte order mark', Buffer.from('\ufeff{"a":1}')],
    ['empty', Buffer.alloc(0)],
  ])('of a body that is %s', async (_what, bytes) => {
    const time = NOW / 1000
    const signed = (prefix: string, encoding: 'hex' | 'base64') =>
      createHmac('sha256', KEY).update(prefix).update(bytes).digest(encoding)
    const hub = `sha256=${signed('', 'hex')}`
    const coded = `v1,${signed(`msg_1.${time}.`, 'base64')}`
    const own = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${time}`,
      'webhook-signature': coded,
    }
    const stripe = `t=${time},v1=${signed(`${time}.`, 'hex')}`
    const text = bytes.toString()
    const takenByGitHub =
      // Its receiver parses what it has verified.
      holds(() => JSON.parse(text)) && (await verifyGitHub(KEY, text, hub).catch(() => false))
    const taken = {
      github: takenByGitHub,
      stripe: holds(() => Stripe.webhooks.constructEvent(bytes, stripe, KEY, 300, undefined, NOW)),
      standard: holds(() => standard.verify(bytes, own)) && holds(() => svix.verify(bytes, own)),
    }
    const headers: Pair[] = [
      ['X-Hub-Signature-256', hub],
      ['Stripe-Signature', stripe],
      ...Object.entries(own),
    ]
    const request = { time: new Date(NOW), bytes, truncated: false, headers }
    const verdicts = Object.entries({ github: KEY, stripe: KEY, standard: `whsec_${CODED}` }).map(
      ([scheme, secret]) => {
        const { state } = verifySignature({ scheme: scheme as Scheme, secret }, request)
        return [scheme, state === 'verified']
      },
    )
    expect(Object.fromEntries(verdicts)).toEqual(taken)
  })

  it.each(Object.entries(RECEIVERS))(
    '%s',
    async (scheme, receiver) => {
      const { secret = KEY, takes, stricter = () => false } = receiver
      const random = seeded(scheme.length)
      const seen = { taken: 0, refused: 0 }
      for (let count = 0; count < sized(800, 100_000 / 6); count++) {
        const { names, body, headers } = mutated(receiver, random)
        const request = { time: new Date(NOW), bytes: Buffer.from(body), truncated: false, headers }
        const { state, cause } = verifySignature({ scheme: scheme as Scheme, secret }, request)
        const given = joined(headers)
        const taken = await takes(given, body)
        const wanted = taken && !stricter(given)
        expect(state === 'verified', JSON.stringify({ names, headers, taken, cause })).toBe(wanted)
        seen[wanted ? 'taken' : 'refused']++
      }
      expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(50)
    },
    600_000,
  )
})
