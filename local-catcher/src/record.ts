// The record of a request: one line of JSON, written and read.
import { isUtf8 } from 'node:buffer'
import { createReadStream, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Content } from './content.js'
import { attempt, reasonOf, refuse } from './errors.js'
import { CapturedRequest, seal } from './request.js'
import { safeJson } from './show/safe-text.js'

/** Bytes as UTF-8 text where they are that, else as base64. */
export function encodeBody(bytes: Buffer) {
  const encoding: 'utf8' | 'base64' = isUtf8(bytes) ? 'utf8' : 'base64'
  return { body: bytes.toString(encoding), encoding }
}

/** A message with its bytes as text. */
export const encodeMessage = <Message extends Content>({ bytes, ...rest }: Message) => {
  return { ...rest, ...encodeBody(bytes) }
}

/** The record of a request: one line of JSON, safe for a terminal, since people `cat` files. */
export function recordLine(request: CapturedRequest): string {
  const { signature, forward, response } = request
  return safeJson({
    n: request.n,
    time: request.time.toISOString(),
    remote: request.remote,
    method: request.method || null,
    url: request.url || null,
    httpVersion: request.httpVersion || null,
    headers: request.headers,
    ...encodeBody(request.bytes),
    size: request.size,
    truncated: request.truncated,
    elapsed: Math.round(request.elapsed * 10) / 10,
    answer: request.answer,
    ...(request.trailers.length > 0 && { trailers: request.trailers }),
    ...(request.outcome !== 'answered' && { outcome: request.outcome }),
    ...(request.cause !== null && { cause: request.cause }),
    ...(request.raw && { raw: request.raw.toString('base64') }),
    ...(signature && { signature }),
    // What is passed on from a target is the same as its reply.
    ...(response && !response.isDefault && !forward && { response: encodeMessage(response) }),
    ...(forward && { forward: encodeMessage(forward) }),
    ...(request.redacted && { redacted: true }),
  })
}

type Fields = Partial<Record<string, string | null>>

const isPair = (pair: unknown) =>
  Array.isArray(pair) && `${pair.map((text) => typeof text)}` === 'string,string'
const isPairs = (pairs: unknown) => Array.isArray(pairs) && pairs.every(isPair)

const decodeBody = (body: string, encoding: unknown) =>
  Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8')

/** A message of a record with its bytes back, or null where the record has none. */
function decodeMessage(message: unknown) {
  if (typeof message !== 'object' || message === null) return null
  const { body = '', encoding, ...rest } = message as Record<string, string>
  return { ...rest, bytes: decodeBody(body, encoding) }
}

/**
 * One line of a record file read back: everything that was written, byte for byte. A line written
 * by hand needs `headers` and `body` only. Throws UsageError.
 */
export function parseRecord(line: string): CapturedRequest {
  const parsed = attempt('this line is not JSON', () => JSON.parse(line) as Fields | null)
  const { time, body, encoding, raw, forward, response, ...record } = parsed ?? {}
  const started = time == null ? new Date() : new Date(time)
  if (!isPairs(record.headers) || typeof body !== 'string') {
    refuse('this line is not the record of a request: it needs "headers" and "body"')
  }
  if (Number.isNaN(started.getTime())) refuse(`'${time}' is not a time`)
  const request = new CapturedRequest()
  const known = Object.entries(record).filter(([key, value]) => {
    if (value === null || !Object.hasOwn(request, key)) return false
    const empty = request[key as keyof CapturedRequest]
    const kind = Array.isArray(empty) ? 'list of pairs' : typeof empty
    const isKind = Array.isArray(empty) ? isPairs(value) : typeof value === kind
    return empty === null || isKind || refuse(`"${key}" is not a ${kind}`)
  })
  const bytes = decodeBody(body, encoding)
  return seal(
    Object.assign(request, { size: bytes.length }, Object.fromEntries(known), {
      time: started,
      bytes,
      raw: raw ? Buffer.from(raw, 'base64') : null,
      forward: decodeMessage(forward),
      response: decodeMessage(response),
    }),
  )
}

/**
 * The records of a file in order, with the numbers of their lines. Calls `onBad` with each line
 * that is none, such as the half line that a crash leaves. Rejects with UsageError where the file
 * is missing.
 */
export async function* readRecords(
  file: string,
  onBad: (reason: string) => void,
): AsyncGenerator<{ line: string; request: CapturedRequest }> {
  const fd = attempt('the record cannot be read', () => openSync(file, 'r'))
  let number = 0
  const read = (line: string) => {
    number++
    if (line.trim() === '') return []
    try {
      return [{ line, request: parseRecord(line) }]
    } catch (thrown) {
      onBad(`${file}, line ${number}: ${reasonOf(thrown)}`)
      return []
    }
  }
  // As Latin-1, or it would break lines at U+2028, which JSON may hold as it is.
  const input = createReadStream(file, { fd, encoding: 'latin1' })
  for await (const line of createInterface({ input }))
    yield* read(Buffer.from(line, 'latin1').toString())
}
