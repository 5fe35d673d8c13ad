// The record of a request: one line of JSON, written and read.
import { isUtf8 } from 'node:buffer'
import { createReadStream, openSync } from 'node:fs'
import type { Content } from './content.js'
import { attempt, reasonOf, UsageError } from './errors.js'
import { CapturedRequest, seal } from './request.js'

// JSON escapes C0 by nature; DEL, C1 and bidi characters are escaped too, since people `cat` files.
const RAW = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

/** Bytes as UTF-8 text where they are that, else as base64. */
export function encodeBody(bytes: Buffer) {
  const encoding: 'utf8' | 'base64' = isUtf8(bytes) ? 'utf8' : 'base64'
  return { body: bytes.toString(encoding), encoding }
}

/** A message with its bytes as text. */
export const encodeMessage = <Message extends Content>({ bytes, ...rest }: Message) => {
  return { ...rest, ...encodeBody(bytes) }
}

/** The record of a request: one line of JSON without a single raw control character. */
export function recordLine(request: CapturedRequest): string {
  const { signature, forward, response } = request
  const json = JSON.stringify({
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
  return json.replace(RAW, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

type Fields = Partial<Record<string, string | null>>

const isPair = (pair: unknown) =>
  Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === 'string')

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
  const parsed = attempt('this line is no JSON', () => JSON.parse(line) as Fields | null)
  const { time, body, encoding, raw, forward, response, ...record } = parsed ?? {}
  const headers: unknown = record.headers
  const started = time == null ? new Date() : new Date(time)
  if (!Array.isArray(headers) || !headers.every(isPair) || typeof body !== 'string') {
    throw new UsageError('this line is no record of a request: it needs "headers" and "body"')
  }
  for (const name of ['method', 'url']) {
    if (typeof (record[name] ?? '') !== 'string') throw new UsageError(`"${name}" is no text`)
  }
  if (Number.isNaN(started.getTime())) throw new UsageError(`'${time}' is not a time`)
  const request = new CapturedRequest()
  const known = Object.entries(record).filter(([key, value]) => {
    return value !== null && Object.hasOwn(request, key)
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
  // Not node:readline, which also breaks lines at U+2028, a character that JSON may hold as it is.
  let rest = ''
  const chunks = createReadStream(file, { fd, encoding: 'utf8', highWaterMark: 1024 * 1024 })
  for await (const chunk of chunks as AsyncIterable<string>) {
    const [end, ...lines] = chunk.split('\n')
    rest += end
    for (const line of lines) {
      yield* read(rest)
      rest = line
    }
  }
  yield* read(rest)
}
