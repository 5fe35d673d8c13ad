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

interface SchemeRule {
  readonly digest: 'hex' | 'base64'
  /** The headers it needs. */
  readonly headers: readonly string[]
  /** Finds each signature of this scheme in its header. */
  readonly pattern: RegExp
  /** Reads what those headers claim; `prefix` is signed before the body. */
  readonly claim: (values: readonly string[]) => {
    readonly signature: string
    readonly timestamp: string | null
    readonly prefix: string
  }
}

const SCHEMES: Record<Scheme, SchemeRule> = {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  standard: {
    digest: 'base64',
    headers: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    pattern: /(?:^|\s)v1,(\S*)/g,
    claim: ([id, timestamp, signature]) => {
      return { signature, timestamp, prefix: `${id}.${timestamp}.` }
    },
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    digest: 'hex',
    headers: ['X-Hub-Signature-256'],
    pattern: /(?:^|,)\s*sha256=([^,]*)/g,
    claim: ([signature]) => ({ signature, timestamp: null, prefix: '' }),
  },
  // https://docs.stripe.com/webhooks/signature
  stripe: {
    digest: 'hex',
    headers: ['Stripe-Signature'],
    pattern: /(?:^|,)\s*v1=([^,]*)/g,
    claim: ([signature]) => {
      const timestamp = /(?:^|,)\s*t=([^,\s]*)/.exec(signature)?.[1] ?? ''
      return { signature, timestamp, prefix: `${timestamp}.` }
    },
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    digest: 'hex',
    headers: ['X-Slack-Signature', 'X-Slack-Request-Timestamp'],
    pattern: /(?:^|,)\s*v0=([^,]*)/g,
    claim: ([signature, timestamp]) => {
      return { signature, timestamp, prefix: `v0:${timestamp}:` }
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
export function verifySignature({ scheme, secret }: Secret, request: Signed): Verification {
  const { headers, bytes, time } = request
  const verdict = (
    state: Verification['state'],
    cause: string | null,
    age: number | null = null,
  ) => {
    return { scheme, state, cause, age }
  }
  if (request.truncated) {
    return verdict('unattempted', 'the body was too large to be kept, so it cannot be checked')
  }
  const rule = SCHEMES[scheme]
  const isSvix = headerOf(headers, 'svix-id') && !headerOf(headers, 'webhook-signature')
  const names = isSvix ? rule.headers.map((name) => name.replace(/^webhook/, 'svix')) : rule.headers
  const values = names.map((name) => headerOf(headers, name) ?? '')
  const missing = names.filter((_, index) => values[index] === '')
  if (missing.length > 0) {
    return verdict('failed', `the request has no ${missing.join(' and no ')} header`)
  }
  const { signature, timestamp, prefix } = rule.claim(values)
  if (timestamp === '') return verdict('failed', `the ${names[0]} header has no timestamp (t=)`)
  const claimed = Array.from(signature.matchAll(rule.pattern), ([, digest]) => digest)
  if (claimed.length === 0) {
    return verdict('failed', 'the signature header holds no signature of this scheme')
  }
  if (timestamp !== null && !/^\d{1,12}$/.test(timestamp)) {
    return verdict('failed', 'the timestamp is not a number of seconds')
  }

  const key = scheme === 'standard' ? Buffer.from(secret.replace(/^whsec_/, ''), 'base64') : secret
  const fits = (body: Buffer | string) => {
    const digest = createHmac('sha256', key).update(prefix).update(body).digest()
    return claimed.some((text) => {
      const given = Buffer.from(text, rule.digest)
      return given.length === digest.length && timingSafeEqual(given, digest)
    })
  }
  if (!fits(bytes)) {
    const respelled = reserialised(bytes).find(({ text }) => fits(text))
    const cause = respelled
      ? `the signature fits the body re-serialised as ${respelled.how}: something between the sender and here re-serialised it`
      : 'wrong secret, or the body was altered after it was signed'
    return verdict('failed', cause)
  }
  if (timestamp === null) return verdict('verified', null)
  const age = Math.round(time.getTime() / 1000 - Number(timestamp))
  if (Math.abs(age) <= TOLERANCE) return verdict('verified', null, age)
  const off = age > 0 ? `too old: ${age} s` : `in the future: ${-age} s`
  return verdict('failed', `the timestamp is ${off}, ${TOLERANCE} s are allowed`, age)
}

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
