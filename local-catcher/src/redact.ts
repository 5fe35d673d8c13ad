// Replaces the values of named headers, keys and fields by ***.
import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { decodeContent, formFields, mediaType, multipartParts } from './content.js'
import type { Content, Pair } from './content.js'
import { BAD, JsonScanner, KEY, STRING } from './json-scanner.js'
import { NOTHING, type Draft } from './request.js'

const MASK = '***'
/** What is in place of a body that is withheld. */
export const MASKED = Buffer.from(MASK)

/** What can hold a secret: a request, a reply or an answer. */
type Message = Pick<Draft, 'headers' | 'bytes'> & Partial<Pick<Draft, 'url' | 'trailers' | 'raw'>>

/**
 * Makes the function that replaces with *** the values of `names` (whatever their case): headers,
 * query, JSON keys at any depth and in any spelling, form fields and multipart parts, compressed
 * or not, also in JSON within any of them. Any other text that mentions a name is withheld whole.
 */
export function redactor(names: readonly string[], maxBody: number) {
  const wanted = new Set(names.filter(Boolean).map((name) => name.toLowerCase()))
  const isWanted = (name: string) => wanted.has(name.toLowerCase())
  // As user[password], password[] and user.password are under the name password.
  const hidden = (name: string) => isWanted(name) || name.split(/[[\].]+/).some(isWanted)
  /** Whether a value is a name, as in { name: 'password', value: … }. */
  const isName = (text: string) => hidden(text.trim().replace(/:$/, ''))
  const { mayMention, mentions, frames, holdsName, assigns } = mentionTests([...wanted])
  const withhold = (bytes: Buffer) => (mentions(bytes) ? MASKED : bytes)
  const maskPairs = (pairs: readonly Pair[]) =>
    pairs.map(([name, value]): Pair => [name, hidden(name) || assigns(value) ? MASK : value])
  const maskText = (text: string): string =>
    holdsName(text) ? (maskJson(Buffer.from(text))?.toString() ?? MASK) : text
  /** Masks values in 'a=1&b=2', bytes as Latin-1, leaving every other one as it was sent. */
  const maskQuery = (query: string): string => {
    const fields = query.split('&').map((field) => {
      if (!mayMention(field)) return field
      const [name = '', value = ''] = formFields(Buffer.from(field, 'latin1').toString())[0] ?? []
      const [written] = field.split('=', 1)
      if (written === field) return holdsName(name) && !hidden(name) ? null : field
      if (hidden(name)) return `${written}=${MASK}`
      // Of another encoding than UTF-8, a name may be any.
      if (holdsName(name) || isName(value) || name.includes('\ufffd')) return null
      return holdsName(value) ? `${written}=${encodeURIComponent(maskText(value))}` : field
    })
    return fields.includes(null) ? MASK : fields.join('&')
  }
  const maskBody = (message: Content): Buffer => {
    const content = decodeContent(message, maxBody)
    if (content.problem !== null) return MASKED
    const masked = maskContent(content)
    return masked.equals(content.bytes) ? message.bytes : masked
  }
  const maskContent = (content: Content): Buffer => {
    const { headers, bytes } = content
    const json = isUtf8(bytes) && maskJson(bytes)
    if (json) return json
    const parts = multipartParts(content)
    if (parts) {
      const spans = parts.map((part) => {
        return { ...part, masked: hidden(part.name) ? MASKED : maskBody(part) }
      })
      const empty = parts.map((part) => ({ ...part, masked: NOTHING }))
      const { length } = parts.filter(({ name }) => hidden(name))
      const isNamed = parts.some((part) => isName(part.bytes.toString()))
      // Beside what parts hold, a name is only that of a part.
      const isDoubtful = isNamed || frames(replaceSpans(bytes, empty), length)
      return isDoubtful ? MASKED : replaceSpans(bytes, spans)
    }
    if (mediaType(headers) !== 'application/x-www-form-urlencoded') return withhold(bytes)
    return Buffer.from(maskQuery(bytes.toString('latin1')), 'latin1')
  }

  /** The body with the values of hidden keys masked, also in its texts, or null where it is no JSON. */
  const maskJson = (bytes: Buffer): Buffer | null => {
    const scanner = new JsonScanner(bytes)
    const spans: Span[] = []
    const texts: Omit<Span, 'masked'>[] = []
    for (let kind = scanner.next(); kind > BAD; kind = scanner.next()) {
      if (kind === STRING) texts.push({ start: scanner.start, end: scanner.end })
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
    if (scanner.error) return null
    // Only now, since one scan must not interrupt another.
    for (const { start, end } of texts) {
      if (!mayMention(bytes.toString('latin1', start, end))) continue
      const text = JSON.parse(bytes.toString('utf8', start, end)) as string
      // The secret may be beside its name.
      if (isName(text)) return MASKED
      const masked = maskText(text)
      if (masked !== text) spans.push({ start, end, masked: Buffer.from(JSON.stringify(masked)) })
    }
    return replaceSpans(bytes, spans)
  }

  /** Masks a message in place; says whether there was anything to mask. */
  const mask = (message: Message): boolean => {
    const before = { ...message }
    message.url &&= message.url.replace(/(?<=[?#]).*$/s, maskQuery)
    message.bytes = maskBody(message)
    message.headers = maskPairs(message.headers)
    message.trailers &&= maskPairs(message.trailers)
    message.raw &&= withhold(message.raw)
    return !isDeepStrictEqual(before, { ...message })
  }

  /** Masks a request in place, and what was replied and answered to it. */
  return (request: Draft) => {
    if (wanted.size === 0) return
    const { forward, response } = request
    request.redacted = mask(request)
    if (forward) mask(forward)
    // An answer may repeat what a request held; it is shared, so a copy is masked.
    const copy = response && { ...response }
    if (copy && mask(copy)) request.response = copy
  }
}

type Span = Readonly<{ start: number; end: number; masked: Buffer }>

function replaceSpans(bytes: Buffer, given: readonly Span[]): Buffer {
  const spans = given.toSorted((one, other) => one.start - other.start)
  const ends = [0, ...spans.map(({ end }) => end)]
  const pieces = spans.flatMap(({ start, masked }, i) => [bytes.subarray(ends[i], start), masked])
  return Buffer.concat([...pieces, bytes.subarray(ends.at(-1))])
}

// What each part of a form has in its headers.
const FRAME = /content-disposition: *form-data|;\s*(file)?name\*?=/gi

/** Whether a text or bytes mention the names, in any spelling: bytes more often than `often`. */
function mentionTests(names: readonly string[]) {
  const any = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')
  const anywhere = new RegExp(any, 'iu')
  const word = new RegExp(`(?<![\\w-])(?:${any})(?![\\w-])`, 'iu')
  const assigned = new RegExp(`(?<![\\w-])(?:${any})["'\\]]*\\s*[=:]`, 'iu')
  const most = (form: RegExp, texts: readonly string[]) =>
    Math.max(...texts.flatMap(spellings).map((text) => text.split(form).length - 1))
  return {
    /** False where plain text has none. */
    mayMention: (text: string) => /[%+\\]|[^ -~]/.test(text) || anywhere.test(text),
    /** As a word of what is around the parts of a body. */
    frames: (bytes: Buffer, often: number) =>
      most(
        word,
        decodings(bytes).map((text) => text.replace(FRAME, '')),
      ) > often,
    /** Anywhere, since a letter before it may be a length in a binary form. */
    mentions: (bytes: Buffer, often = 0) => most(anywhere, decodings(bytes)) > often,
    /** As a word of a text. */
    holdsName: (text: string) => most(word, [text]) > 0,
    /** Before a value, as in a cookie. */
    assigns: (value: string) => most(assigned, decodings(Buffer.from(value, 'latin1'))) > 0,
  }
}

/** The text of escapes, in UTF-8 or else in Latin-1. */
function unescaped(escapes: string): string {
  const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex')
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
}

const MOST_ENCODINGS = 4

/** What bytes may be as text. */
function decodings(bytes: Buffer): readonly string[] {
  const texts = [...new Set([bytes.toString(), bytes.toString('latin1')])]
  if (!bytes.includes(0)) return texts
  const swapped = Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16()
  return [...texts, bytes.toString('utf16le'), swapped.toString('utf16le')]
}

/** A text as it is, and with the escapes of URLs and JSON undone. */
function spellings(text: string): readonly string[] {
  const found = [text]
  for (let i = 0; i < MOST_ENCODINGS; i++) {
    const undone = text
      .replaceAll('\0', '')
      .replace(/(%[\da-f]{2})+/gi, (all) => unescaped(all))
      .replace(/(?<!\\)\\+u[\da-f]{4}/gi, (all) =>
        String.fromCharCode(Number(`0x${all.slice(-4)}`)),
      )
    if (undone === text) break
    found.push(undone)
    text = undone
  }
  return found
}
