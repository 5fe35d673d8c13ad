// Sends webhooks as a sender does: signed with a new timestamp, or late, or wrongly.
import { headerOf, withType, type Pair } from '../content.js'
import { refuse } from '../errors.js'
import { bytes, readFields, text, type Given, type Values } from '../fields.js'
import { deliver, parseTarget, replayTarget, type Message } from '../forward.js'
import type { CapturedRequest, Reply } from '../request.js'
import { readHeaders } from '../rules.js'
import { readSecret, signatureHeaders, signsTime } from '../signature.js'
import { parseDuration } from '../values.js'

const SIGNING = {
  /** Signs by this scheme, in place of the signature that a recorded request has. */
  secret: readSecret,
  /** How old the timestamp of the signature is: milliseconds, or a text like '10m'. */
  late: parseDuration,
}
const READERS = { method: text, headers: readHeaders, body: bytes, ...SIGNING }

export type SigningOptions = Given<typeof SIGNING>
export type SendOptions = Given<typeof READERS>
type Signing = Values<typeof SIGNING>

const MOST_REPLY = 10 * 1024 * 1024

/**
 * Sends a webhook to exactly `url`: a POST, of JSON where the body is that, unless `options` say
 * otherwise. Gives the reply, or why there is none; rejects with UsageError only.
 */
export async function send(url: string | URL, options: SendOptions = {}): Promise<Reply> {
  const read = readFields('send', READERS, options)
  const { method = 'POST', headers = [], body = Buffer.alloc(0) } = read
  const typed = withType(headers, body)
  const message = { method: method.toUpperCase(), headers: typed, bytes: body }
  return deliver(signed(message, read), parseTarget(String(url)), MOST_REPLY)
}

/**
 * Sends a recorded request again, byte for byte but for its signature where a secret is given.
 * `to` without a path keeps the recorded path and query. Rejects with UsageError on a request of
 * which not everything is known: it was cut, broken off, or redacted.
 */
export async function replay(
  request: CapturedRequest,
  to: string | URL,
  options: SigningOptions = {},
): Promise<Reply> {
  const read = readFields('replay', SIGNING, options)
  const problem = whyNotReplayable(request)
  if (problem !== null) refuse(problem)
  const url = replayTarget(parseTarget(String(to)), request.url)
  return deliver(signed(request, read), url, MOST_REPLY)
}

/** Why a request can't be sent again as it came, or null. */
export function whyNotReplayable(request: CapturedRequest): string | null {
  if (request.redacted) return 'a redacted request is not what was sent, so it is not replayed'
  if (request.truncated || !request.complete) return 'this request was not received whole'
  return null
}

/** The message with the signature that is asked for, in place of any that it has. */
function signed(message: Message, { secret, late = 0 }: Signing): Message {
  if (secret === undefined) {
    return late === 0 ? message : refuse('only a message that is signed can be late: give a secret')
  }
  if (late > 0 && !signsTime(secret)) {
    refuse(`${secret.scheme} signs no timestamp, so it can't be late`)
  }
  const { headers, bytes } = message
  const time = new Date(Date.now() - late)
  const own = headerOf(headers, 'webhook-id') ?? headerOf(headers, 'svix-id')
  const id = own ?? ids.get(message) ?? newId()
  ids.set(message, id)
  const added = signatureHeaders(secret, bytes, { time, id })
  const isReplaced = ([name]: Pair) => added.some(([other]) => isSame(name, other))
  return { ...message, headers: [...headers.filter((pair) => !isReplaced(pair)), ...added] }
}

// Svix still sends the headers of the standard under its own names.
const isSame = (name: string, other: string) =>
  name.toLowerCase().replace(/^svix-/, 'webhook-') === other.toLowerCase()

const newId = () => `msg_${process.getBuiltinModule('node:crypto').randomUUID()}`
/** The ids of messages that had none: sent twice, each has the same one. */
const ids = new WeakMap<Message, string>()
