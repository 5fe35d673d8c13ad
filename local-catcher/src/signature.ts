import { createHmac, timingSafeEqual } from 'node:crypto'
import { headerOf } from './content.js'
import { UsageError } from './errors.js'
import type { CapturedRequest } from './request.js'

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
export type Signed = Pick<CapturedRequest, 'headers' | 'bytes' | 'time' | 'truncated'>

interface SchemeRule {
  readonly digest: 'hex' | 'base64'
  /** The headers it needs: the first holds the signatures. */
  readonly headers: readonly string[]
  /** Finds each signature of this scheme in its header. */
  readonly pattern: RegExp
  /** The timestamp in the values of those headers, '' where it is missing. */
  readonly timestamp?: (values: readonly string[]) => string
  /** What is signed before the body. */
  readonly prefix?: (timestamp: string, values: readonly string[]) => string
}

const SCHEMES: Record<Scheme, SchemeRule> = {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  standard: {
    digest: 'base64',
    headers: ['webhook-signature', 'webhook-id', 'webhook-timestamp'],
    pattern: /(?:^|\s)v1,(\S*)/g,
    timestamp: (values) => values[2],
    prefix: (timestamp, [, id]) => `${id}.${timestamp}.`,
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    digest: 'hex',
    headers: ['X-Hub-Signature-256'],
    pattern: /(?:^|,)\s*sha256=([^,]*)/g,
  },
  // https://docs.stripe.com/webhooks/signature
  stripe: {
    digest: 'hex',
    headers: ['Stripe-Signature'],
    pattern: /(?:^|,)\s*v1=([^,]*)/g,
    timestamp: ([signature]) => /(?:^|,)\s*t=([^,\s]*)/.exec(signature)?.[1] ?? '',
    prefix: (timestamp) => `${timestamp}.`,
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    digest: 'hex',
    headers: ['X-Slack-Signature', 'X-Slack-Request-Timestamp'],
    pattern: /(?:^|,)\s*v0=([^,]*)/g,
    timestamp: (values) => values[1],
    prefix: (timestamp) => `v0:${timestamp}:`,
  },
}

// All three schemes with a timestamp ask for five minutes.
const TOLERANCE = 300

/** Reads 'scheme:secret'; throws UsageError without ever repeating the secret. */
export function parseSecret(text: string): Secret {
  const [scheme, secret] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]
  if (Object.hasOwn(SCHEMES, scheme)) return checkSecret({ scheme: scheme as Scheme, secret })
  throw new UsageError(`write it scheme:secret, with ${Object.keys(SCHEMES).join(', ')} as scheme`)
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
  if (request.truncated) {
    const cause = 'the body was too large to be kept, so it cannot be checked'
    return { scheme, state: 'unattempted', cause, age: null }
  }
  const { cause, age = null } = check(scheme, secret, request)
  return { scheme, state: cause === null ? 'verified' : 'failed', cause, age }
}

function check(
  scheme: Scheme,
  secret: string,
  { headers, bytes, time }: Signed,
): { cause: string | null; age?: number } {
  const rule = SCHEMES[scheme]
  const isSvix = headerOf(headers, 'svix-id') && !headerOf(headers, 'webhook-signature')
  const names = isSvix ? rule.headers.map((name) => name.replace(/^webhook/, 'svix')) : rule.headers
  const values = names.map((name) => headerOf(headers, name) ?? '')
  const missing = names.filter((_, index) => values[index] === '')
  if (missing.length > 0) return { cause: `the request has no ${missing.join(' and no ')} header` }
  const timestamp = rule.timestamp?.(values) ?? null
  if (timestamp === '') return { cause: `the ${names[0]} header has no timestamp (t=)` }
  const claimed = Array.from(values[0].matchAll(rule.pattern), ([, digest]) => digest)
  if (claimed.length === 0) {
    return { cause: 'the signature header holds no signature of this scheme' }
  }
  if (timestamp !== null && !/^\d{1,12}$/.test(timestamp)) {
    return { cause: 'the timestamp is not a number of seconds' }
  }
  const key = scheme === 'standard' ? Buffer.from(secret.replace(/^whsec_/, ''), 'base64') : secret
  const prefix = rule.prefix?.(timestamp ?? '', values) ?? ''
  const fits = (body: Buffer | string) => {
    const digest = createHmac('sha256', key).update(prefix).update(body).digest()
    return claimed.some((text) => {
      const given = Buffer.from(text, rule.digest)
      return given.length === digest.length && timingSafeEqual(given, digest)
    })
  }
  if (!fits(bytes)) {
    const how = respelling(bytes, fits)
    if (how === undefined) {
      return { cause: 'wrong secret, or the body was altered after it was signed' }
    }
    const who = 'something between the sender and here re-serialised it'
    return { cause: `the signature fits the body re-serialised as ${how}: ${who}` }
  }
  if (timestamp === null) return { cause: null }
  const age = Math.round(time.getTime() / 1000 - Number(timestamp))
  if (Math.abs(age) <= TOLERANCE) return { cause: null, age }
  const off = age > 0 ? `too old: ${age} s` : `in the future: ${-age} s`
  return { cause: `the timestamp is ${off}, ${TOLERANCE} s are allowed`, age }
}

// The spellings that middleware commonly gives to a JSON body it has parsed.
const SPELLINGS = { 'compact JSON': 0, 'JSON indented by 2': 2, 'JSON indented by 4': 4 }

/** The name of the spelling that fits, if one does. */
function respelling(body: Buffer, fits: (text: string) => boolean): string | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    const spelled = ([, indent]: [string, number]) => fits(JSON.stringify(value, null, indent))
    return Object.entries(SPELLINGS).find(spelled)?.[0]
  } catch {
    return undefined
  }
}
