import * as zlib from 'node:zlib'
import { reasonOf } from './errors.js'
import { formatSize } from './values.js'

/** A name and a value, in the case and the order in which they came. */
export type Pair = readonly [name: string, value: string]

/** Node's flat list of names and values as pairs. */
export function pairs(flat: readonly string[]): Pair[] {
  const result: Pair[] = []
  for (let i = 0; i < flat.length; i += 2) result.push([flat[i], flat[i + 1]])
  return result
}

/** The first value of a header, whatever the case of its name. */
export function headerOf(headers: readonly Pair[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  for (const [key, value] of headers) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) return value
  }
  return undefined
}

/** The path of a request target, in origin form ('/a?b') or absolute form ('http://host/a'). */
export function pathOf(target: string): string {
  const path = target.startsWith('/')
    ? target
    : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  return path.split(/[?#]/, 1)[0] || '/'
}

/** A body with its content encodings undone, or as it came with the reason why not. */
export interface Content {
  readonly bytes: Buffer
  /** The encodings undone, as the sender named them; null where there were none. */
  readonly encoding: string | null
  readonly problem: string | null
}

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer

const DECODERS: Record<string, Decoder | undefined> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  // Senders disagree about what deflate is: most wrap it in zlib's header, some do not.
  deflate: (bytes, options) =>
    ((bytes[0] & 0x0f) === 8 ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
  br: zlib.brotliDecompressSync,
  // zstd came with Node 22.15.
  zstd: (zlib as { zstdDecompressSync?: Decoder }).zstdDecompressSync,
}

const MOST_ENCODINGS = 4

/** Undoes Content-Encoding, never giving more than `limit` bytes (a bomb stays packed). */
export function decodeContent(headers: readonly Pair[], bytes: Buffer, limit: number): Content {
  const encoding = headerOf(headers, 'content-encoding')?.trim()
  const names = encoding?.toLowerCase().split(/\s*,\s*/) ?? []
  const applied = names.filter((name) => name !== '' && name !== 'identity')
  if (encoding === undefined || applied.length === 0 || bytes.length === 0) {
    return { bytes, encoding: null, problem: null }
  }
  try {
    if (applied.length > MOST_ENCODINGS) throw new Error(`more than ${MOST_ENCODINGS} encodings`)
    const decoded = applied.reduceRight((packed, name) => decode(name, packed, limit), bytes)
    return { bytes: decoded, encoding, problem: null }
  } catch (thrown) {
    return { bytes, encoding, problem: reasonOf(thrown) }
  }
}

function decode(name: string, packed: Buffer, limit: number): Buffer {
  const decoder = DECODERS[name]
  if (!decoder) {
    throw new Error(name === 'zstd' ? 'this Node cannot decode zstd' : 'an encoding not known here')
  }
  try {
    return decoder(packed, { maxOutputLength: Math.max(limit, 1) })
  } catch (thrown) {
    const tooLarge = (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw tooLarge ? new Error(`it unpacks to more than ${formatSize(limit)}`) : thrown
  }
}

/** The media type without its parameters, in lower case; '' where there is none. */
export const mediaType = (headers: readonly Pair[]): string =>
  (headerOf(headers, 'content-type') ?? '').split(';')[0].trim().toLowerCase()

/** The fields of a form body, names and values decoded, in order. */
export const formFields = (text: string): Pair[] => [...new URLSearchParams(text)]

/** The parts of a multipart body (RFC 2046, 5.1), or null where it has no such form. */
export function multipartParts(headers: readonly Pair[], body: Buffer) {
  const type = headerOf(headers, 'content-type') ?? ''
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type)
  if (!mediaType(headers).startsWith('multipart/') || !boundary) return null
  const delimiter = `--${boundary[1] ?? boundary[2]}`
  const parts: ReturnType<typeof readPart>[] = []
  let start = body.indexOf(delimiter, 0, 'latin1')
  while (start !== -1) {
    start += delimiter.length
    if (body.toString('latin1', start, start + 2) === '--') return parts
    const end = body.indexOf(`\r\n${delimiter}`, start, 'latin1')
    if (end === -1) return null
    parts.push(readPart(body, start + 2, end))
    start = end + 2
  }
  return null
}

/** A part with its headers; `start` and `end` say where its bytes lie in the body. */
function readPart(body: Buffer, start: number, end: number) {
  const blank = body.indexOf('\r\n\r\n', start - 2)
  const bodyStart = blank === -1 || blank > end ? end : Math.min(blank + 4, end)
  const lines = body.toString('utf8', start, bodyStart).split('\r\n')
  const headers = lines.flatMap((line): Pair[] => {
    const match = /^([^:]+):\s*(.*)$/.exec(line)
    return match ? [[match[1], match[2]]] : []
  })
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
