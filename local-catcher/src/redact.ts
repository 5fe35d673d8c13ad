// Replaces the values of named headers, keys and fields by ***.
import { isDeepStrictEqual } from 'node:util'
import { decodeContent, formFields, mediaType, multipartParts } from './content.js'
import type { Content, Pair } from './content.js'
import { BAD, JsonScanner, KEY } from './json-scanner.js'
import type { Draft } from './request.js'

const MASK = '***'
const MASKED = Buffer.from(MASK)

/** What can hold a secret: a request, a reply or an answer. */
type Message = Pick<Draft, 'headers' | 'bytes'> & Partial<Pick<Draft, 'url' | 'trailers' | 'raw'>>

/**
 * Makes the function that replaces with *** the values of `names` (whatever their case): headers,
 * query, JSON keys at any depth and in any spelling, form fields and multipart parts, compressed
 * or not. A body that mentions a name in a form it cannot take apart is withheld as a whole.
 */
export function redactor(names: readonly string[], maxBody: number) {
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  const hidden = (name: string) => wanted.has(name.toLowerCase())
  const withhold = (bytes: Buffer) => {
    const text = bytes.toString('latin1').toLowerCase()
    const mentioned = (name: string) => text.includes(Buffer.from(name).toString('latin1'))
    return [...wanted].some(mentioned) ? MASKED : bytes
  }
  const maskPairs = (pairs: readonly Pair[]) =>
    pairs.map(([name, value]): Pair => [name, hidden(name) ? MASK : value])
  /** Masks values in 'a=1&b=2', bytes as Latin-1, leaving every other one as it was sent. */
  const maskQuery = (query: string) => {
    const nameOf = (field: string) => formFields(Buffer.from(field, 'latin1').toString())[0]?.[0]
    const masked = (field: string) =>
      hidden(nameOf(field) ?? '') ? `${field.split('=', 1)[0]}=${MASK}` : field
    return query.split('&').map(masked).join('&')
  }
  const maskBody = (message: Content): Buffer => {
    const content = decodeContent(message, maxBody)
    if (content.problem !== null) return MASKED
    const masked = maskContent(content)
    return masked.equals(content.bytes) ? message.bytes : masked
  }
  const maskContent = (content: Content): Buffer => {
    const { headers, bytes } = content
    const json = maskJson(bytes, hidden)
    if (json) return json
    if (mediaType(headers) === 'application/x-www-form-urlencoded') {
      return Buffer.from(maskQuery(bytes.toString('latin1')), 'latin1')
    }
    const parts = multipartParts(content)
    if (!parts) return withhold(bytes)
    const spans = parts.map((part) => {
      return { ...part, masked: hidden(part.name) ? MASKED : maskBody(part) }
    })
    return replaceSpans(bytes, spans)
  }

  /** Masks a message in place; says whether there was anything to mask. */
  const mask = (message: Message): boolean => {
    const before = { ...message }
    message.url &&= message.url.replace(/\?(.*)$/s, (_, query: string) => `?${maskQuery(query)}`)
    message.bytes = maskBody(message)
    message.headers = maskPairs(message.headers)
    message.trailers &&= maskPairs(message.trailers)
    message.raw &&= withhold(message.raw)
    return !isDeepStrictEqual(before, { ...message })
  }

  /** Masks a request in place, and what was replied and answered to it. */
  return (request: Draft) => {
    if (names.length === 0) return
    const { forward, response } = request
    request.redacted = mask(request)
    if (forward) mask(forward)
    // An answer may repeat what a request held; it is shared, so a copy is masked.
    const copy = response && { ...response }
    if (copy && mask(copy)) request.response = copy
  }
}

type Span = Readonly<{ start: number; end: number; masked: Buffer }>

function replaceSpans(bytes: Buffer, spans: readonly Span[]): Buffer {
  const ends = [0, ...spans.map(({ end }) => end)]
  const pieces = spans.flatMap(({ start, masked }, i) => [bytes.subarray(ends[i], start), masked])
  return Buffer.concat([...pieces, bytes.subarray(ends.at(-1))])
}

/** The body with the values of hidden keys masked, or null where it is no JSON. */
function maskJson(bytes: Buffer, hidden: (name: string) => boolean): Buffer | null {
  const scanner = new JsonScanner(bytes)
  const spans: Span[] = []
  for (let kind = scanner.next(); kind > BAD; kind = scanner.next()) {
    if (kind !== KEY) continue
    const key = JSON.parse(bytes.toString('utf8', scanner.start, scanner.end)) as string
    if (!hidden(key)) continue
    const { depth } = scanner
    // Behind the key stands the value, which ends where the depth is that of the key.
    kind = scanner.next()
    const { start } = scanner
    while (kind > BAD && scanner.depth > depth) kind = scanner.next()
    spans.push({ start, end: scanner.end, masked: Buffer.from(`"${MASK}"`) })
  }
  return scanner.error ? null : replaceSpans(bytes, spans)
}
