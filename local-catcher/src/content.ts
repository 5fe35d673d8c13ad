// What a message holds: headers, path, content encodings, forms and multipart bodies.
import * as zlib from 'node:zlib'
import { reasonOf } from './errors.js'
import { formatSize } from './values.js'

/** A name and a value, in the case and the order in which they came. */
export type Pair = readonly [name: string, value: string]

/** What every message has, and every part of a multipart body. */
export type Content = Readonly<{ headers: readonly Pair[]; bytes: Buffer }>

/** Node's flat list of names and values as pairs. */
export const pairs = (flat: readonly string[]): Pair[] =>
  Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index], flat[2 * index + 1]])

/** The first value of a header, whatever the case of its name. */
export const headerOf = (headers: readonly Pair[], name: string): string | undefined =>
  headersOf(headers, name)[0]

/** All values of a header, in the order in which they came. */
export function headersOf(headers: readonly Pair[], name: string): readonly string[] {
  const wanted = name.toLowerCase()
  const found: string[] = []
  for (const [key, value] of headers) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) found.push(value)
  }
  return found
}

/** The path of a request target, in origin form ('/a?b') or absolute form ('http://host/a'). */
export const pathOf = (target: string): string =>
  /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(target)?.[1] || '/'

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer

const DECODERS: Record<string, Decoder | undefined> = {
  gzip: zlib.gunzipSync,
  br: zlib.brotliDecompressSync,
  // zstd came with Node 22.15.
  zstd: (zlib as { zstdDecompressSync?: Decoder }).zstdDecompressSync,
}

/**
 * Undoes Content-Encoding, never giving more than `limit` bytes (a bomb stays packed). Gives the
 * encoding undone as the sender named it, or null where there was none; where it cannot be undone,
 * the bytes as they came and the reason.
 */
export function decodeContent({ headers, bytes }: Content, limit: number) {
  const encoding = headersOf(headers, 'content-encoding').join(', ')
  if (!encoding || /^identity$/i.test(encoding) || bytes.length === 0) {
    return { headers, bytes, encoding: null, problem: null }
  }
  try {
    const decoder = DECODERS[encoding.toLowerCase()]
    if (!decoder) throw new Error('an encoding not known here')
    const decoded = decoder(bytes, { maxOutputLength: Math.max(limit, 1) })
    return { headers, bytes: decoded, encoding, problem: null }
  } catch (thrown) {
    const isTooLarge = (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    const problem = isTooLarge ? `it unpacks to more than ${formatSize(limit)}` : reasonOf(thrown)
    return { headers, bytes, encoding, problem }
  }
}

/** The media type without its parameters, in lower case; '' where there is none. */
export const mediaType = (headers: readonly Pair[]): string =>
  (headerOf(headers, 'content-type') ?? '').split(';')[0].trim().toLowerCase()

/** The headers of a message, with the content type of its body where none is given. */
export function withType(headers: readonly Pair[], body: Buffer): readonly Pair[] {
  if (body.length === 0 || headerOf(headers, 'content-type') !== undefined) return headers
  const isJson = parseJson(body.toString()) !== undefined
  const type = isJson ? 'application/json' : 'text/plain; charset=utf-8'
  return [['Content-Type', type], ...headers]
}

/** What a text holds as JSON; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The fields of a form body, names and values decoded, in order. */
export const formFields = (text: string): Pair[] => [...new URLSearchParams(text)]

/** The parameters in the query of a request target. */
export const queryOf = (target: string): Pair[] => formFields(/\?([^#]*)/.exec(target)?.[1] ?? '')

/** The parts of a multipart body (RFC 2046, 5.1), or null where it has no such form. */
export function multipartParts({ headers, bytes: body }: Content) {
  const type = headerOf(headers, 'content-type') ?? ''
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type)
  if (!mediaType(headers).startsWith('multipart/') || !boundary) return null
  const delimiter = Buffer.from(`\r\n--${boundary[1] ?? boundary[2]}`, 'latin1')
  const parts: ReturnType<typeof readPart>[] = []
  // Nothing, not even a line break, need be before the first one.
  const first = body.indexOf(delimiter.subarray(2)) === 0 ? -2 : body.indexOf(delimiter)
  let start = -1
  for (let at = first; at !== -1; at = body.indexOf(delimiter, at + 2)) {
    const end = at + delimiter.length
    // Nothing but blanks, or '--' in the last one, is behind it in its line.
    const [line] = body.toString('latin1', end, end + 80).split('\r\n', 1)
    if (!/^(--)?[ \t]*$/.test(line)) continue
    if (start !== -1) parts.push(readPart(body, start, at))
    if (line.startsWith('--')) return parts
    start = body.indexOf('\r\n', end) + 2
  }
  return null
}

/** A part with its headers; `start` and `end` say where its bytes lie in the body. */
function readPart(body: Buffer, start: number, end: number) {
  // Beyond the part, the search would look at the whole body again for each part without a blank line.
  const blank = body.subarray(0, end).indexOf('\r\n\r\n', start - 2)
  const bodyStart = blank === -1 ? end : blank + 4
  const lines = body.toString('utf8', start, bodyStart).matchAll(/^([^:\r\n]+):[ \t]*(.*)$/gm)
  const headers = Array.from(lines, ([, name, value]): Pair => [name, value])
  const disposition = headerOf(headers, 'content-disposition') ?? ''
  const parameter = (name: string) => {
    const quotedOrNot = `"((?:[^"\\\\]|\\\\.)*)"|([^;]*)`
    const match = new RegExp(`;\\s*${name}=(?:${quotedOrNot})`, 'i').exec(disposition)
    return match?.[1] ?? match?.[2]
  }
  return {
    headers,
    name: parameter('name') ?? '',
    fileName: parameter('filename'),
    bytes: body.subarray(bodyStart, end),
    start: bodyStart,
    end,
  }
}
