// The signature schemes: one table by which signatures are both checked and made.
import { isUtf8 } from 'node:buffer'
import { headersOf, type Content, type Pair } from './content.js'
import { refuse } from './errors.js'

type Encoding = 'hex' | 'base64'

/** Where a scheme has its signature, timestamp and id, and what it signs before the body. */
interface Form {
  /** The header that holds the signatures. */
  readonly header: string
  /** What each signature begins with in its header. */
  readonly mark: string
  readonly encoding: Encoding
  /** What is between the entries of the header; without it the header is one signature. */
  readonly separator?: string
  /** The name of a hash may be before the signature: 'sha1=…'. */
  readonly isNamed?: true
  /** The header of the timestamp, in seconds. */
  readonly timestamp?: string
  /** The name of the timestamp where it is an entry in the header of the signature. */
  readonly field?: string
  /** Seconds by which it may be in the past and in the future; five minutes unless given. */
  readonly tolerance?: readonly [past: number, future: number]
  /** The header of the message id. */
  readonly id?: string
  /** What is signed before the body; without it the body is all that is signed. */
  readonly prefix?: (timestamp: string, id: string) => string
  /** The vendor's libraries take the body as a text. */
  readonly isText?: true
  /** The HMAC of what is signed. */
  readonly sign: (content: Buffer) => Buffer
}

// Most never check a signature, so this part of Node is loaded by those who do.
const crypto = () => process.getBuiltinModule('node:crypto')

const hmac =
  (secret: string | Buffer, hash = 'sha256') =>
  (content: Buffer) =>
    crypto().createHmac(hash, secret).update(content).digest()

/** A scheme whose secret is the text of an HMAC key. */
const keyed =
  (header: string, mark: string, encoding: Encoding, more: Partial<Form> = {}) =>
  (secret: string): Form => ({ header, mark, encoding, ...more, sign: hmac(secret) })

/** The scheme of Slack, which Zoom uses too. */
const versioned = (header: string, timestamp: string) =>
  keyed(header, 'v0=', 'hex', { timestamp, prefix: (time) => `v0:${time}:` })

/** The scheme of Stripe, which Paddle uses too: the timestamp is beside the signature. */
const stamped = (header: string, mark: string, end: string, past: number, more: Partial<Form>) => {
  const tolerance = [past, Infinity] as const
  return keyed(header, mark, 'hex', { ...more, tolerance, prefix: (time) => time + end })
}

const TEXT = { isText: true } as const

/** How each scheme reads its secret, which says the rest; throws UsageError where it cannot be. */
const SCHEMES = {
  standard: readStandard,
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: keyed('X-Hub-Signature-256', 'sha256=', 'hex', TEXT),
  // https://docs.stripe.com/webhooks/signature; its libraries refuse no timestamp of the future.
  stripe: stamped('Stripe-Signature', 'v1=', '.', 300, { ...TEXT, field: 't', separator: ',' }),
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: versioned('X-Slack-Signature', 'X-Slack-Request-Timestamp'),
  // https://shopify.dev/docs/apps/build/webhooks/subscribe/https
  shopify: keyed('X-Shopify-Hmac-SHA256', '', 'base64'),
  // https://developer.paddle.com/webhooks/signature-verification; its libraries allow 5 s.
  paddle: stamped('Paddle-Signature', 'h1=', ':', 5, { field: 'ts', separator: ';' }),
  // https://developers.zoom.us/docs/api/webhooks/#verify-webhook-events
  zoom: versioned('x-zm-signature', 'x-zm-request-timestamp'),
  hmac: readGeneric,
} as const satisfies Record<string, (secret: string) => Form>

export type Scheme = keyof typeof SCHEMES
const SCHEME_NAMES = Object.keys(SCHEMES) as readonly Scheme[]

/** A scheme and its secret, as 'scheme:secret' gives them. */
export type Secret = Readonly<{ scheme: Scheme; secret: string }>
/** A secret as an option takes it. */
export type GivenSecret = Secret | string

// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
function readStandard(secret: string): Form {
  const [, key] = /^(?:whsec_)?([A-Za-z\d+/]+={0,2})$/.exec(secret) ?? []
  if (key === undefined) refuse('a standard secret is base64, after whsec_ or nothing')
  return {
    header: 'webhook-signature',
    mark: 'v1,',
    encoding: 'base64',
    separator: ' ',
    timestamp: 'webhook-timestamp',
    id: 'webhook-id',
    prefix: (timestamp, id) => `${id}.${timestamp}.`,
    ...TEXT,
    sign: hmac(Buffer.from(key, 'base64')),
  }
}

/** Reads 'HEADER:encoding:SECRET': an HMAC of the body alone, in a header of any name. */
function readGeneric(secret: string): Form {
  const [, header, hash = 'sha256', encoding, key] =
    /^([\w-]+):(?:(sha1|sha256|sha384|sha512)-)?(hex|base64):(.+)$/s.exec(secret) ?? []
  if (key === undefined) refuse("write it 'hmac:X-Signature:hex:secret'; hex, base64 or sha512-hex")
  return { header, mark: '', isNamed: true, encoding: encoding as Encoding, sign: hmac(key, hash) }
}

/** Reads a secret, given as { scheme, secret } or 'scheme:secret'; no error repeats the secret. */
export function readSecret(given: GivenSecret): Secret {
  const [, scheme, secret] =
    typeof given === 'string'
      ? (/^([^:]*):(.*)$/s.exec(given) ?? [])
      : ['', given?.scheme, given?.secret]
  if (typeof secret !== 'string' || !Object.hasOwn(SCHEMES, scheme ?? '')) {
    const schemes = SCHEME_NAMES.join(', ').replace('standard', 'standard (also for Svix)')
    refuse(`write it scheme:secret; schemes are ${schemes}`)
  }
  if (secret === '') refuse('the secret is empty')
  // Several in one, or one with the line break at the end of its file.
  if (secret.includes('\n')) refuse('the secret has a line break: give one secret')
  SCHEMES[scheme as Scheme](secret)
  return { scheme: scheme as Scheme, secret }
}

/** What a signature is checked on: a request, or what is known of one. */
export type Signed = Content & Readonly<{ time: Date; truncated: boolean }>

/** Whether a signature holds, and why not. */
export interface Verification {
  readonly scheme: Scheme
  readonly state: 'verified' | 'failed' | 'unattempted'
  /** Why it did not hold, as a sentence; null when it did. Never holds the expected value. */
  readonly cause: string | null
  /** Seconds between signing and receiving, where the scheme signs a timestamp. */
  readonly age: number | null
}

const TOLERANCE = [300, 300] as const
const MISFIT = 'wrong secret, or the body was altered after it was signed'
const UNREAD = 'the body is empty, or not UTF-8, or begins with a byte order mark'

const formOf = ({ scheme, secret }: Secret): Form => SCHEMES[scheme](secret)

/** The names of the headers that a form needs. */
const namesOf = ({ header, id, timestamp }: Form): readonly string[] =>
  [header, id, timestamp].filter((name) => name !== undefined)

/** Whether the signatures of a secret's scheme cover a timestamp. */
export const signsTime = (secret: Secret): boolean => formOf(secret).prefix !== undefined

/** Checks the bytes of a request against what its headers claim, at the time it came. */
export function verifySignature(secret: Secret, request: Signed): Verification {
  const { scheme } = secret
  const form = formOf(secret)
  const { prefix, tolerance = TOLERANCE } = form
  const claim = readLoosely(form, request)
  const isTimed = prefix !== undefined && /^(0|[1-9]\d{0,11})$/.test(claim.timestamp)
  const age = isTimed ? Math.floor(request.time.getTime() / 1000) - Number(claim.timestamp) : null
  const judged = (state: Verification['state'], cause: string | null = null) => {
    return { scheme, state, cause, age }
  }
  const fail = (cause: string) => judged('failed', cause)

  if (request.truncated) return judged('unattempted', 'the body was too large to be kept')
  const missing = namesOf(form).filter((name) => valueOf(name, request) === '')
  if (missing.length > 0) return fail(`the request has no ${missing.join(' and no ')} header`)
  if (claim.words.length === 0) {
    return fail('the signature header holds no signature of this scheme')
  }
  if (prefix && !isTimed) return fail('there is no timestamp, or it is not a number of seconds')
  const found = fitting(form, claim, request.bytes)
  if (found === undefined) return fail(MISFIT)
  const { bytes } = request
  const isUnread = form.isText && (!isUtf8(bytes) || /^(\ufeff|$)/.test(bytes.toString()))
  if (isUnread || !isExact(form, request)) {
    const flaw = isUnread ? UNREAD : flawOf(form, found)
    return fail(`the signature fits, but receivers of ${scheme} refuse it: ${flaw}`)
  }
  const [past, future] = tolerance
  if (age === null || (age <= past && -age <= future)) return judged('verified')
  const off = age > 0 ? `too old: ${age} s` : `in the future: ${-age} s`
  return fail(`the timestamp is ${off}, ${age > 0 ? past : future} s are allowed`)
}

/**
 * Checks a request with every secret: one that fits is enough, as when secrets are rotated. Where
 * none fits, gives the verdict on the first secret for whose scheme the request has a signature.
 */
export function verifyAny(secrets: readonly Secret[], request: Signed): Verification {
  const isThere = (secret: Secret) => valueOf(formOf(secret).header, request) !== ''
  const there = secrets.filter(isThere)
  const all = (there.length > 0 ? there : secrets).map((each) => verifySignature(each, request))
  return all.find(({ state }) => state === 'verified') ?? all[0]
}

/**
 * The headers with which the sender of a scheme signs a body: id and timestamp, where the scheme has
 * them, and the signature.
 */
export function signatureHeaders(
  secret: Secret,
  body: Buffer,
  { time = new Date(), id }: { readonly time?: Date; readonly id: string },
): readonly Pair[] {
  const { header, mark, encoding, field, separator, prefix, sign, ...form } = formOf(secret)
  const timestamp = String(Math.floor(time.getTime() / 1000))
  const content = Buffer.concat([Buffer.from(prefix?.(timestamp, id) ?? ''), body])
  const start = field ? `${field}=${timestamp}${separator}` : ''
  return [
    ...(form.id ? [[form.id, id] as const] : []),
    ...(form.timestamp ? [[form.timestamp, timestamp] as const] : []),
    [header, `${start}${mark}${sign(content).toString(encoding)}`],
  ]
}

/** All values of a header as servers join them, or undefined where it is missing. */
function joined(name: string, { headers }: Signed): string | undefined {
  const values = headersOf(headers, name)
  return values.length === 0 ? undefined : values.join(', ')
}

/** The name of a header of the standard at Svix, where the standard is from. */
const oldName = (name: string) => name.replace('webhook', 'svix')

/** The value of a header, '' where it is missing, under either of its names. */
const valueOf = (name: string, request: Signed): string =>
  joined(name, request) ?? joined(oldName(name), request) ?? ''

/** What headers claim: words that may be signatures, and what these cover before the body. */
type Claim = Readonly<{ words: readonly string[]; timestamp: string; id: string }>

/** The word of a claim that is the signature of a body, if one is. */
function fitting({ encoding, prefix, sign }: Form, { words, timestamp, id }: Claim, body: Buffer) {
  const digest = sign(Buffer.concat([Buffer.from(prefix?.(timestamp, id) ?? ''), body]))
  return words.find((word) => {
    const given = Buffer.from(word, encoding)
    return given.length === digest.length && crypto().timingSafeEqual(given, digest)
  })
}

/** Whatever may be meant for a signature: with the mark, or each word, also behind '='. */
function readLoosely({ header, mark, field, ...form }: Form, request: Signed): Claim {
  const value = valueOf(header, request)
  const marked = new RegExp(`(?:^|[\\s,;])${mark}([^\\s,;]*)`, 'g')
  const found = Array.from(value.matchAll(marked), ([, word]) => word)
  const words = mark ? found : found.flatMap((word) => [word, word.replace(/^[\w-]+=/, '')])
  const inSignature = new RegExp(`(?:^|[,;])\\s*${field}=([^,;\\s]*)`).exec(value)?.[1] ?? ''
  return {
    words: words.filter(Boolean),
    timestamp: form.timestamp ? valueOf(form.timestamp, request) : inSignature,
    id: form.id ? valueOf(form.id, request) : '',
  }
}

/**
 * Whether the strictest of a scheme's receivers takes the signature. Those of the standard know its
 * names of headers only, and those of Svix prefer their own.
 */
function isExact(form: Form, request: Signed): boolean {
  const names = namesOf(form)
  const own = (name: string) => joined(name, request)
  const old = (name: string) => joined(oldName(name), request) ?? own(name)
  const isThere = (name: string) => own(name) !== undefined
  const fits = (valueAt: typeof own) => {
    const claim = readStrictly(form, valueAt)
    return claim !== null && fitting(form, claim, request.bytes) !== undefined
  }
  const isOld = form.id !== undefined && names.map(oldName).some(isThere)
  return (!names.some(isThere) || fits(own)) && (!isOld || fits(old))
}

/** What headers claim that are written exactly as the scheme's documentation writes them. */
function readStrictly(
  { header, mark, encoding, separator, isNamed, field, ...form }: Form,
  valueAt: (name: string) => string | undefined,
): Claim | null {
  const value = valueAt(header) ?? ''
  const entries = separator === undefined ? [value] : value.split(separator)
  const pairs = entries.map((entry) => entry.split(mark.at(-1)!))
  if (separator !== undefined && pairs.some(({ length }) => length !== 2)) return null
  const stamps = field ? pairs.flatMap(([name, time]) => (name === field ? [time] : [])) : []
  const timestamp = form.timestamp ? valueAt(form.timestamp) : (stamps.at(0) ?? '')
  const id = form.id ? valueAt(form.id) : ''
  if (timestamp === undefined || id === undefined || new Set(stamps).size > 1) return null
  const words = entries
    .filter((entry) => entry.startsWith(mark))
    .map((entry) => entry.slice(mark.length).replace(isNamed ? /^sha\d+=/ : '', ''))
    .filter((word) => Buffer.from(word, encoding).toString(encoding) === word)
  return { words, timestamp, id }
}

/** What is unusual about a signature, by its encoding. */
const FLAWS: Readonly<Record<Encoding, readonly (readonly [flaw: string, shows: RegExp])[]>> = {
  hex: [
    ['characters that are not hex', /[^\da-f]/i],
    ['upper-case hex', /[A-F]/],
  ],
  base64: [
    ['base64url instead of base64', /^[\w-]*[-_][\w-]*=*$/],
    ['characters that are not base64', /[^\w+/=]|=[^=]/],
    ['base64 without its padding', /^(?!(.{4})*$)/],
  ],
}

/** Why receivers refuse a signature that fits. */
function flawOf({ encoding, mark, field, separator, id }: Form, word: string): string {
  const flaw = FLAWS[encoding].find(([, shows]) => shows.test(word))
  if (flaw) return flaw[0]
  const form = `${field ? `${field}=…${separator}` : ''}${mark}…`
  const names = id ? ', or the names of its headers are mixed' : ''
  return `the header is not written as '${form}'${names}`
}
