import { UsageError } from './errors.js'
import type { CapturedRequest } from './request.js'

interface SchemeRule {
  /** The headers it needs: the first holds the signatures, the last the timestamp if any is to. */
  readonly headers: readonly string[]
  /** What each signature of this scheme begins with, in its header. */
  readonly mark: string
  /** What is signed before the body; without a timestamp the body is all that is signed. */
  readonly prefix?: (timestamp: string, values: readonly string[]) => string
}

const SCHEMES = {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  standard: {
    headers: ['webhook-signature', 'webhook-id', 'webhook-timestamp'],
    mark: 'v1,',
    prefix: (timestamp, [, id]) => `${id}.${timestamp}.`,
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: { headers: ['X-Hub-Signature-256'], mark: 'sha256=' },
  // https://docs.stripe.com/webhooks/signature
  stripe: { headers: ['Stripe-Signature'], mark: 'v1=', prefix: (timestamp) => `${timestamp}.` },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    headers: ['X-Slack-Signature', 'X-Slack-Request-Timestamp'],
    mark: 'v0=',
    prefix: (timestamp) => `v0:${timestamp}:`,
  },
} satisfies Record<string, SchemeRule>

export type Scheme = keyof typeof SCHEMES

/** A scheme and its secret, as `--secret scheme:secret` gives them. */
export type Secret = Readonly<{ scheme: Scheme; secret: string }>

/** Whether a signature holds, and why not. */
export type Verification = Readonly<ReturnType<typeof verifySignature>>

// All three schemes with a timestamp ask for five minutes.
const TOLERANCE = 300

/** Reads 'scheme:secret'; throws UsageError without ever repeating the secret. */
export function parseSecret(text: string): Secret {
  const [, scheme, secret] = /^([^:]*):(.*)$/s.exec(text) ?? []
  if (Object.hasOwn(SCHEMES, scheme ?? '')) return checkSecret({ scheme: scheme as Scheme, secret })
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
export function verifySignature({ scheme, secret }: Secret, request: CapturedRequest) {
  const { headers, mark, prefix }: SchemeRule = SCHEMES[scheme]
  // Svix, where the standard comes from, still sends its own names.
  const values = headers.map(
    (name) => request.header(name) ?? request.header(name.replace('webhook', 'svix')) ?? '',
  )
  const marked = new RegExp(`(?:^|[\\s,])${mark}([^\\s,]*)`, 'g')
  const claimed = Array.from(values[0].matchAll(marked), ([, digest]) => digest)
  const inSignature = /(?:^|,)\s*t=([^,\s]*)/.exec(values[0])?.[1] ?? ''
  const timestamp = values.length > 1 ? values.at(-1)! : inSignature
  const isTimed = prefix !== undefined && /^\d{1,12}$/.test(timestamp)
  const age = isTimed ? Math.round(request.time.getTime() / 1000 - Number(timestamp)) : null
  const conclude = (state: 'verified' | 'failed' | 'unattempted', cause: string | null) => ({
    scheme,
    state,
    /** Why it did not hold, as a sentence; null when it did. Never holds the expected value. */
    cause,
    /** Seconds between signing and receiving, where the scheme signs a timestamp. */
    age,
  })
  const fail = (cause: string) => conclude('failed', cause)

  if (request.truncated) return conclude('unattempted', 'the body was too large to be kept')
  const missing = headers.filter((_, index) => values[index] === '')
  if (missing.length > 0) return fail(`the request has no ${missing.join(' and no ')} header`)
  if (claimed.length === 0) return fail('the signature header holds no signature of this scheme')
  if (prefix && !isTimed) return fail('there is no timestamp, or it is no number of seconds')
  // Most never check a signature, so its part of Node is loaded by those who do.
  const { createHmac, timingSafeEqual } = process.getBuiltinModule('node:crypto')
  const encoding = scheme === 'standard' ? 'base64' : 'hex'
  const key = scheme === 'standard' ? Buffer.from(secret.replace(/^whsec_/, ''), 'base64') : secret
  const fits = (body: Buffer | string) => {
    const before = prefix?.(timestamp, values) ?? ''
    const digest = createHmac('sha256', key).update(before).update(body).digest()
    return claimed.some((text) => {
      const given = Buffer.from(text, encoding)
      return given.length === digest.length && timingSafeEqual(given, digest)
    })
  }
  if (!fits(request.bytes)) return fail(explainMisfit(request.bytes, fits))
  if (age === null || Math.abs(age) <= TOLERANCE) return conclude('verified', null)
  const off = age > 0 ? `too old: ${age} s` : `in the future: ${-age} s`
  return fail(`the timestamp is ${off}, ${TOLERANCE} s are allowed`)
}

// The spellings that middleware commonly gives to a JSON body it has parsed.
const SPELLINGS = { 'compact JSON': 0, 'JSON indented by 2': 2, 'JSON indented by 4': 4 }

function explainMisfit(body: Buffer, fits: (text: string) => boolean): string {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    const spelled = ([, indent]: [string, number]) => fits(JSON.stringify(value, null, indent))
    const how = Object.entries(SPELLINGS).find(spelled)?.[0]
    const who = 'something between the sender and here re-serialised it'
    if (how) return `the signature fits the body re-serialised as ${how}: ${who}`
  } catch {
    // Only JSON is re-serialised.
  }
  return 'wrong secret, or the body was altered after it was signed'
}
