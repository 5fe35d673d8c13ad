// The signature schemes: one table by which signatures are both checked and made.
import type { Pair } from './content.js'
import { UsageError } from './errors.js'

type Encoding = 'hex' | 'base64'

/** Where a scheme has its signature, timestamp and id, and what it signs before the body. */
interface Form {
  /** The header that holds the signatures. */
  readonly header: string
  /** What each signature begins with in its header; '' where every word there may be one. */
  readonly mark: string
  readonly encoding: Encoding
  /** The header of the timestamp, in seconds. */
  readonly timestamp?: string
  /** The timestamp's name where it stands in the header of the signature, and what is after it. */
  readonly field?: readonly [name: string, separator: string] | undefined
  /** The header of the message id. */
  readonly id?: string
  /** What is signed before the body; without it the body is all that is signed. */
  readonly prefix?: (timestamp: string, id: string) => string
  readonly key: Key
}

/** How content is signed, and how a signature of it is checked. */
interface Key {
  sign(content: Buffer): Buffer
  verify(content: Buffer, signature: Buffer): boolean
}

// Most never check a signature, so this part of Node is loaded by those who do.
const crypto = () => process.getBuiltinModule('node:crypto')

function hmac(secret: string | Buffer, hash = 'sha256'): Key {
  const sign = (content: Buffer) => crypto().createHmac(hash, secret).update(content).digest()
  return {
    sign,
    verify(content, signature) {
      const digest = sign(content)
      return signature.length === digest.length && crypto().timingSafeEqual(signature, digest)
    },
  }
}

/** A private key may be the seed alone, or the seed with the public key behind it. */
function ed25519(isPublic: boolean, bytes: Buffer): Key {
  const isLong = bytes.length === 64 && !isPublic
  if (bytes.length !== 32 && !isLong) throw new UsageError('an Ed25519 key has 32 bytes')
  // RFC 8410: what DER has before the 32 bytes of an Ed25519 key.
  const [kind, start] = isPublic
    ? ['PUBLIC', '302a300506032b6570032100']
    : ['PRIVATE', '302e020100300506032b657004220420']
  const der = Buffer.from(start + bytes.toString('hex', 0, 32), 'hex').toString('base64')
  const pem = `-----BEGIN ${kind} KEY-----\n${der}\n-----END ${kind} KEY-----`
  return {
    sign(content) {
      if (isPublic) throw new UsageError('a public key cannot sign: give the private one')
      return crypto().sign(null, content, pem)
    },
    // A private key is as good here, since the public one follows from it.
    verify: (content, signature) => crypto().verify(null, content, pem, signature),
  }
}

/** A scheme whose secret is the text of an HMAC key. */
const keyed =
  (header: string, mark: string, encoding: Encoding, more: Partial<Form> = {}) =>
  (secret: string): Form => ({ header, mark, encoding, ...more, key: hmac(secret) })

/** The scheme of Slack, which Zoom uses too. */
const versioned = (header: string, timestamp: string) =>
  keyed(header, 'v0=', 'hex', { timestamp, prefix: (time) => `v0:${time}:` })

/** The scheme of Stripe, which Paddle uses too: the timestamp stands beside the signature. */
const stamped = (header: string, mark: string, field: Form['field'], end: string) =>
  keyed(header, mark, 'hex', { field, prefix: (time) => time + end })

/** How each scheme reads its secret, which says the rest; throws UsageError where it cannot be. */
const SCHEMES = {
  standard: readStandard,
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: keyed('X-Hub-Signature-256', 'sha256=', 'hex'),
  // https://docs.stripe.com/webhooks/signature
  stripe: stamped('Stripe-Signature', 'v1=', ['t', ','], '.'),
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: versioned('X-Slack-Signature', 'X-Slack-Request-Timestamp'),
  // https://shopify.dev/docs/apps/build/webhooks/subscribe/https
  shopify: keyed('X-Shopify-Hmac-SHA256', '', 'base64'),
  // https://developer.paddle.com/webhooks/signature-verification
  paddle: stamped('Paddle-Signature', 'h1=', ['ts', ';'], ':'),
  // https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events
  zoom: versioned('x-zm-signature', 'x-zm-request-timestamp'),
  discord: readDiscord,
  hmac: readGeneric,
} as const satisfies Record<string, (secret: string) => Form>

export type Scheme = keyof typeof SCHEMES
export const SCHEME_NAMES = Object.keys(SCHEMES) as readonly Scheme[]

/** A scheme and its secret, as 'scheme:secret' gives them. */
export type Secret = Readonly<{ scheme: Scheme; secret: string }>
/** A secret as an option takes it. */
export type GivenSecret = Secret | string

// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
function readStandard(secret: string): Form {
  const [, kind = 'whsec_', text] =
    /^(whsec_|whpk_|whsk_)?([A-Za-z\d+/]+={0,2})$/.exec(secret) ?? []
  if (text === undefined) {
    throw new UsageError('a standard secret is base64, after whsec_, whpk_, whsk_ or nothing')
  }
  const bytes = Buffer.from(text, 'base64')
  const key = kind === 'whsec_' ? hmac(bytes) : ed25519(kind === 'whpk_', bytes)
  return {
    header: 'webhook-signature',
    mark: kind === 'whsec_' ? 'v1,' : 'v1a,',
    encoding: 'base64',
    timestamp: 'webhook-timestamp',
    id: 'webhook-id',
    prefix: (timestamp, id) => `${id}.${timestamp}.`,
    key,
  }
}

// https://docs.discord.com/developers/events/webhook-events#setting-up-an-endpoint
function readDiscord(secret: string): Form {
  if (!/^([\da-f]{64}|[\da-f]{128})$/i.test(secret)) {
    throw new UsageError('a discord key is hex: 64 digits of a public, 128 of a private key')
  }
  return {
    header: 'X-Signature-Ed25519',
    mark: '',
    encoding: 'hex',
    timestamp: 'X-Signature-Timestamp',
    prefix: (timestamp) => timestamp,
    key: ed25519(secret.length === 64, Buffer.from(secret, 'hex')),
  }
}

/** Reads 'HEADER:encoding:SECRET': an HMAC of the body alone, in a header of any name. */
function readGeneric(secret: string): Form {
  const [, header, hash = 'sha256', encoding, key] =
    /^([\w-]+):(?:(sha1|sha256|sha384|sha512)-)?(hex|base64):(.+)$/s.exec(secret) ?? []
  if (key === undefined) {
    throw new UsageError("write it 'hmac:X-Signature:hex:secret'; hex, base64 or sha512-hex")
  }
  return { header, mark: '', encoding: encoding as Encoding, key: hmac(key, hash) }
}

/** Reads a secret, given as { scheme, secret } or 'scheme:secret'; no error repeats the secret. */
export function readSecret(given: GivenSecret): Secret {
  const [, scheme, secret] =
    typeof given === 'string'
      ? (/^([^:]*):(.*)$/s.exec(given) ?? [])
      : ['', given?.scheme, given?.secret]
  if (typeof secret !== 'string' || !Object.hasOwn(SCHEMES, scheme ?? '')) {
    throw new UsageError(`write it scheme:secret, with ${SCHEME_NAMES.join(', ')} as scheme`)
  }
  if (secret === '') throw new UsageError('the secret is empty')
  SCHEMES[scheme as Scheme](secret)
  return { scheme: scheme as Scheme, secret }
}

/** What a signature is checked on: a request, or what is known of one. */
export interface Signed {
  readonly time: Date
  readonly bytes: Buffer
  /** Some of the body was not kept. */
  readonly truncated: boolean
  header(name: string): string | undefined
}

/** Whether a signature holds, and why not. */
export interface Verification {
  readonly scheme: Scheme
  readonly state: 'verified' | 'failed' | 'unattempted'
  /** Why it did not hold, as a sentence; null when it did. Never holds the expected value. */
  readonly cause: string | null
  /** Seconds between signing and receiving, where the scheme signs a timestamp. */
  readonly age: number | null
}

// The schemes with a timestamp ask for five minutes.
const TOLERANCE = 300

/** Whether a request has the header that holds the signatures of a secret's scheme. */
export const hasSignature = ({ scheme, secret }: Secret, request: Signed): boolean =>
  valueOf(SCHEMES[scheme](secret).header, request) !== ''

/** Checks the bytes of a request against what its headers claim, at the time it came. */
export function verifySignature({ scheme, secret }: Secret, request: Signed): Verification {
  const form: Form = SCHEMES[scheme](secret)
  const { header, timestamp: timeHeader, field, prefix } = form
  const [signature, id] = [valueOf(header, request), form.id ? valueOf(form.id, request) : '']
  const inSignature = new RegExp(`(?:^|[,;])\\s*${field?.[0]}=([^,;\\s]*)`).exec(signature)?.[1]
  const timestamp = timeHeader ? valueOf(timeHeader, request) : (inSignature ?? '')
  const isTimed = prefix !== undefined && /^\d{1,12}$/.test(timestamp)
  const age = isTimed ? Math.round(request.time.getTime() / 1000 - Number(timestamp)) : null
  const judged = (state: Verification['state'], cause: string | null = null) => {
    return { scheme, state, cause, age }
  }
  const fail = (cause: string) => judged('failed', cause)

  if (request.truncated) return judged('unattempted', 'the body was too large to be kept')
  const needed = [header, form.id, timeHeader].filter((name) => name !== undefined)
  const missing = needed.filter((name) => valueOf(name, request) === '')
  if (missing.length > 0) return fail(`the request has no ${missing.join(' and no ')} header`)
  const claimed = claimedSignatures(form, signature)
  if (claimed.length === 0) return fail('the signature header holds no signature of this scheme')
  if (prefix && !isTimed) return fail('there is no timestamp, or it is no number of seconds')
  const before = prefix?.(timestamp, id) ?? ''
  const fits = (body: Buffer | string) => {
    const content = Buffer.concat([Buffer.from(before), Buffer.from(body as string)])
    return claimed.some((each) => form.key.verify(content, each))
  }
  if (!fits(request.bytes)) return fail(explainMisfit(request.bytes, fits))
  if (age === null || Math.abs(age) <= TOLERANCE) return judged('verified')
  const off = age > 0 ? `too old: ${age} s` : `in the future: ${-age} s`
  return fail(`the timestamp is ${off}, ${TOLERANCE} s are allowed`)
}

/**
 * The headers with which the sender of a scheme signs a body: those of id and timestamp, where the
 * scheme has them, and that of the signature. Throws UsageError where the secret is a public key.
 */
export function signatureHeaders(
  { scheme, secret }: Secret,
  body: Buffer,
  { time = new Date(), id }: { readonly time?: Date; readonly id: string },
): readonly Pair[] {
  const { header, mark, encoding, field, prefix, key, ...form }: Form = SCHEMES[scheme](secret)
  const timestamp = String(Math.floor(time.getTime() / 1000))
  const content = Buffer.concat([Buffer.from(prefix?.(timestamp, id) ?? ''), body])
  const start = field ? `${field[0]}=${timestamp}${field[1]}` : ''
  return [
    ...(form.id ? [[form.id, id] as const] : []),
    ...(form.timestamp ? [[form.timestamp, timestamp] as const] : []),
    [header, `${start}${mark}${key.sign(content).toString(encoding)}`],
  ]
}

/** The value of a header, '' where it is missing. Svix, where the standard is from, has old names. */
const valueOf = (name: string, request: Signed): string =>
  request.header(name) ?? request.header(name.replace('webhook', 'svix')) ?? ''

/** The signatures that a header holds: those with the mark, or each word, with what is behind '='. */
function claimedSignatures({ mark, encoding }: Form, value: string): Buffer[] {
  const marked = new RegExp(`(?:^|[\\s,;])${mark}([^\\s,;]*)`, 'g')
  const words = Array.from(value.matchAll(marked), ([, word]) => word)
  const all = mark === '' ? words.flatMap((word) => [word, word.replace(/^[\w-]+=/, '')]) : words
  return all.filter((word) => word !== '').map((word) => Buffer.from(word, encoding))
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
