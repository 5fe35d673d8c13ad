import {
  BAD,
  COLON,
  COMMA,
  JsonScanner,
  NUMBER,
  OPEN,
  CLOSE,
  STRING,
  WORD,
} from './json-scanner.js'
import { decodeContent, formFields, mediaType, multipartParts, type Pair } from './content.js'

const MASK = '***'

export interface Redactable {
  readonly url: string
  readonly headers: readonly Pair[]
  readonly trailers: readonly Pair[]
  readonly bytes: Buffer
  readonly raw: Buffer | null
}

export type Redactor = <T extends Redactable & { readonly redacted: boolean }>(value: T) => T

/**
 * Makes the function that replaces with *** the values of `names` (whatever their case): headers,
 * query, JSON keys at any depth and in any spelling, form fields and multipart parts, compressed
 * or not. A body that mentions a name in a form it cannot take apart is withheld as a whole.
 */
export function redactor(names: readonly string[], maxBody: number): Redactor {
  if (names.length === 0) return (value) => value
  const wanted = new Set(names.map((name) => name.toLowerCase()))
  const hidden = (name: string) => wanted.has(name.toLowerCase())
  const mentioned = (bytes: Buffer) => {
    const text = bytes.toString('latin1').toLowerCase()
    return [...wanted].some((name) => text.includes(Buffer.from(name).toString('latin1')))
  }
  const maskPairs = (pairs: readonly Pair[]) =>
    pairs.map(([name, value]): Pair => [name, hidden(name) ? MASK : value])

  const maskBody = (headers: readonly Pair[], bytes: Buffer): Buffer => {
    if (bytes.length === 0) return bytes
    const content = decodeContent(headers, bytes, maxBody)
    if (content.problem !== null) return Buffer.from(MASK)
    const masked = maskContent(headers, content.bytes)
    return masked === content.bytes ? bytes : masked
  }
  const maskContent = (headers: readonly Pair[], bytes: Buffer): Buffer => {
    const json = maskJson(bytes, hidden)
    if (json) return json
    const text = bytes.toString('utf8')
    if (mediaType(headers) === 'application/x-www-form-urlencoded') {
      return formFields(text).some(([name]) => hidden(name))
        ? Buffer.from(maskQuery(text, hidden))
        : bytes
    }
    const parts = multipartParts(headers, bytes)
    if (!parts) return mentioned(bytes) ? Buffer.from(MASK) : bytes
    const pieces: Buffer[] = []
    let at = 0
    for (const part of parts) {
      const masked = hidden(part.name) ? Buffer.from(MASK) : maskBody(part.headers, part.bytes)
      if (masked === part.bytes) continue
      pieces.push(bytes.subarray(at, part.start), masked)
      at = part.end
    }
    return at === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(at)])
  }

  return (value) => {
    const [path, query] = splitAt(value.url, '?')
    const masked = {
      url: query === undefined ? value.url : `${path}?${maskQuery(query, hidden)}`,
      headers: maskPairs(value.headers),
      trailers: maskPairs(value.trailers),
      bytes: maskBody(value.headers, value.bytes),
      raw: value.raw && mentioned(value.raw) ? Buffer.from(MASK) : value.raw,
    }
    const changed = (before: readonly Pair[], after: readonly Pair[]) =>
      after.some(([, text], index) => text !== before[index][1])
    const redacted =
      masked.url !== value.url ||
      masked.bytes !== value.bytes ||
      masked.raw !== value.raw ||
      changed(value.headers, masked.headers) ||
      changed(value.trailers, masked.trailers)
    return { ...value, ...masked, redacted }
  }
}

const splitAt = (text: string, separator: string): [string, string | undefined] => {
  const at = text.indexOf(separator)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** Masks values in 'a=1&b=2', leaving every other byte as it was sent. */
const maskQuery = (query: string, hidden: (name: string) => boolean) =>
  query
    .split('&')
    .map((field) => {
      const name = formFields(field)[0]?.[0]
      return name !== undefined && hidden(name) ? `${field.split('=', 1)[0]}=${MASK}` : field
    })
    .join('&')

/** The body with the values of hidden keys masked, the same buffer where none is, null for no JSON. */
function maskJson(bytes: Buffer, hidden: (name: string) => boolean): Buffer | null {
  const scanner = new JsonScanner(bytes)
  const pieces: Buffer[] = []
  let kept = 0
  let hiding = -1
  let from = 0
  for (let kind = scanner.next(); kind > BAD; kind = scanner.next()) {
    if (hiding === -1 && scanner.isKey) {
      const key = JSON.parse(bytes.toString('utf8', scanner.start, scanner.end)) as string
      if (hidden(key)) [hiding, from] = [scanner.depth, -1]
      continue
    }
    if (hiding === -1 || kind === COLON || kind === COMMA) continue
    if (from === -1) from = scanner.start
    const ends = kind === STRING || kind === NUMBER || kind === WORD || kind === CLOSE
    if (kind === OPEN || !ends || scanner.depth !== hiding) continue
    pieces.push(bytes.subarray(kept, from), Buffer.from(`"${MASK}"`))
    kept = scanner.end
    hiding = -1
  }
  if (scanner.error) return null
  return kept === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(kept)])
}
