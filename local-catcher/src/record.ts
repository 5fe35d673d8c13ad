// The record of a request: one line of JSON, written and read.
import { isUtf8 } from 'node:buffer'
import { UsageError } from './errors.js'
import { CapturedRequest, seal } from './request.js'

// JSON escapes C0 by nature; DEL, C1 and bidi characters are escaped too, since people `cat` files.
const RAW = /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

/** Bytes as UTF-8 text where they are that, else as base64. */
export function encodeBody(bytes: Buffer) {
  const encoding: 'utf8' | 'base64' = isUtf8(bytes) ? 'utf8' : 'base64'
  return { body: bytes.toString(encoding), encoding }
}

/** The record of a request: one line of JSON without a single raw control character. */
export function recordLine(request: CapturedRequest): string {
  const { signature, forward } = request
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
    answer: request.answer,
    ...(request.trailers.length > 0 && { trailers: request.trailers }),
    ...(request.outcome !== 'answered' && { outcome: request.outcome }),
    ...(request.cause !== null && { cause: request.cause }),
    ...(request.raw && { raw: request.raw.toString('base64') }),
    ...(signature && { signature }),
    ...(forward && { forward: { ...forward, bytes: undefined, ...encodeBody(forward.bytes) } }),
    ...(request.redacted && { redacted: true }),
  })
  return json.replace(RAW, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

type Fields = Partial<Record<string, string | null>>

/** One line of a record file read back: method, target, headers, trailers and body byte for byte. */
export function parseRecord(line: string): CapturedRequest {
  const { time, body, encoding, raw, forward, signature, ...record } = JSON.parse(line) as Fields
  if (!Array.isArray(record.headers) || typeof body !== 'string') {
    throw new UsageError('this line is no record of a request')
  }
  const request = new CapturedRequest()
  const known = Object.entries(record).filter(([key, value]) => {
    return value !== null && Object.hasOwn(request, key)
  })
  return seal(
    Object.assign(request, Object.fromEntries(known), {
      time: new Date(String(time)),
      bytes: Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8'),
      raw: raw ? Buffer.from(raw, 'base64') : null,
    }),
  )
}
