import { createHmac, timingSafeEqual } from 'node:crypto'
import { headerOf, type Pair } from './content.js'
import { UsageError } from './errors.js'

export type Scheme = 'standard' | 'github' | 'stripe' | 'slack'

/** A scheme and its secret, as `--secret scheme:secret` gives them. */
export interface Secret {
  readonly scheme: Scheme
  readonly secret: string
}

export interface Verification {
  readonly scheme: Scheme
  readonly state: 'verified' | 'failed' | 'unattempted'
  /** Why it did not hold, as a sentence; null when it did. Never holds the expected value. */
  readonly cause: string | null
  /** Seconds between signing and receiving, where the scheme signs a timestamp. */
  readonly age: number | null
}

/** What is needed of a request to check it. */
export interface Signed {
  readonly headers: readonly Pair[]
  readonly bytes: Buffer
  readonly time: Date
  readonly truncated: boolean
}

type Header = (name: string) => string | undefined

/** What a sender claims: any one of `signatures` may fit; `prefix` is signed before the body. */
interface Claim {
  readonly signatures: readonly string[]
  readonly prefix: string
  readonly timestamp: string | null
}

interface SchemeRule {
  readonly digest: 'hex' | 'base64'
  readonly key: (secret: string) => Buffer
  /** Reads the claim, or names what is missing. */
  readonly read: (header: Header) => Claim | string
}

const utf8Key = (secret: string) => Buffer.from(secret)

/** Values of `name` in a list like 't=1,v1=abc'. */
const listed = (text: string, name: string, separator: string) =>
  text
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry.startsWith(name))
    .map((entry) => entry.slice(name.length))

/** All missing headers named at once. */
const without = (...names: readonly string[]) =>
  `the request has no ${names.join(' and no ')} header`

const SCHEMES: Record<Scheme, SchemeRule> = {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  standard: {
    digest: 'base64',
    key: (secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'),
    read: (header) => {
      const prefix =
        header('webhook-signature') === undefined && header('svix-id') ? 'svix' : 'webhook'
      const names = ['id', 'timestamp', 'signature'].map((name) => `${prefix}-${name}`)
      const [id, timestamp, signature] = names.map(header)
      if (!id || !timestamp || !signature) return without(...names.filter((name) => !header(name)))
      const signatures = listed(signature, 'v1,', ' ')
      return { signatures, prefix: `${id}.${timestamp}.`, timestamp }
    },
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    digest: 'hex',
    key: utf8Key,
    read: (header) => {
      const signature = header('x-hub-signature-256')
      if (!signature) return without('X-Hub-Signature-256')
      return { signatures: listed(signature, 'sha256=', ','), prefix: '', timestamp: null }
    },
  },
  // https://docs.stripe.com/webhooks/signature
  stripe: {
    digest: 'hex',
    key: utf8Key,
    read: (header) => {
      const signature = header('stripe-signature')
      if (!signature) return without('Stripe-Signature')
      const timestamp = listed(signature, 't=', ',')[0]
      if (!timestamp) return 'the Stripe-Signature header has no timestamp (t=)'
      return { signatures: listed(signature, 'v1=', ','), prefix: `${timestamp}.`, timestamp }
    },
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    digest: 'hex',
    key: utf8Key,
    read: (header) => {
      const names = ['X-Slack-Signature', 'X-Slack-Request-Timestamp']
      const [signature, timestamp] = names.map(header)
      if (!signature || !timestamp) return without(...names.filter((name) => !header(name)))
      return { signatures: listed(signature, 'v0=', ','), prefix: `v0:${timestamp}:`, timestamp }
    },
  },
}

// All three schemes with a timestamp ask for five minutes.
const TOLERANCE = 300

/** Reads 'scheme:secret'; throws UsageError without ever repeating the secret. */
export function parseSecret(text: string): Secret {
  const [scheme, secret] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]
  if (!Object.hasOwn(SCHEMES, scheme)) {
    throw new UsageError(
      `write it scheme:secret, with ${Object.keys(SCHEMES).join(', ')} as scheme`,
    )
  }
  return checkSecret({ scheme: scheme as Scheme, secret })
}

/** Refuses a secret that cannot be the key of its scheme. */
export function checkSecret(given: Secret): Secret {
  const base64 = /^(whsec_)?[A-Za-z\d+/]+={0,2}$/
  if (given.secret === '') throw new UsageError('the secret is empty')
  if (given.scheme === 'standard' && !base64.test(given.secret)) {
    throw new UsageError('a standard secret is base64, with or without whsec_ before it')
  }
  return given
}

/** Checks the bytes of a request against what its headers claim, at the time it came. */
export function verifySignature(given: Secret, request: Signed): Verification {
  const { scheme, secret } = given
  const { headers, bytes: body, time: now } = request
  const rule = SCHEMES[scheme]
  const failed = (cause: string, age: number | null = null): Verification => ({
    scheme,
    state: 'failed',
    cause,
    age,
  })

  if (request.truncated) {
    const cause = 'the body was too large to be kept, so it cannot be checked'
    return { scheme, state: 'unattempted', cause, age: null }
  }
  const claim = rule.read((name) => headerOf(headers, name))
  if (typeof claim === 'string') return failed(claim)
  if (claim.signatures.length === 0)
    return failed('the signature header holds no signature of this scheme')
  if (claim.timestamp !== null && !/^\d{1,12}$/.test(claim.timestamp)) {
    return failed('the timestamp is not a number of seconds')
  }

  const fits = (bytes: Buffer | string) => {
    const digest = createHmac('sha256', rule.key(secret))
      .update(claim.prefix)
      .update(bytes)
      .digest()
    return claim.signatures.some((signature) =>
      sameBytes(Buffer.from(signature, rule.digest), digest),
    )
  }
  if (!fits(body)) {
    const respelled = reserialised(body).find(({ text }) => fits(text))
    return failed(
      respelled
        ? `the signature fits the body re-serialised as ${respelled.how}: something between the sender and here re-serialised it`
        : 'wrong secret, or the body was altered after it was signed',
    )
  }
  if (claim.timestamp === null) return { scheme, state: 'verified', cause: null, age: null }
  const age = Math.round(now.getTime() / 1000 - Number(claim.timestamp))
  if (age > TOLERANCE)
    return failed(`the timestamp is too old: ${age} s, ${TOLERANCE} s are allowed`, age)
  if (age < -TOLERANCE) {
    return failed(`the timestamp is in the future: ${-age} s, ${TOLERANCE} s are allowed`, age)
  }
  return { scheme, state: 'verified', cause: null, age }
}

const sameBytes = (one: Buffer, other: Buffer) =>
  one.length === other.length && timingSafeEqual(one, other)

/** The spellings that middleware commonly gives to a JSON body it has parsed. */
function reserialised(body: Buffer): { how: string; text: string }[] {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return [
      { how: 'compact JSON', text: JSON.stringify(value) },
      { how: 'JSON indented by 2', text: JSON.stringify(value, null, 2) },
      { how: 'JSON indented by 4', text: JSON.stringify(value, null, 4) },
    ]
  } catch {
    return []
  }
}
