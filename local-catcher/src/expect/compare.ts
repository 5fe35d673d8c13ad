// What differs between a request and the recorded one, place by place, but for values that differ each time.
import { isUtf8 } from 'node:buffer'
import { decodeContent, formFields, mediaType, multipartParts, queryOf } from '../content.js'
import type { Content, Pair } from '../content.js'
import { BAD, CLOSE, JsonScanner, KEY, OPEN, STRING } from '../json-scanner.js'
import { MASKED } from '../redact.js'
import type { CapturedRequest } from '../request.js'

/** Where two requests differ; a value is null where there is none. */
type Difference = Readonly<{ place: string; expected: string | null; actual: string | null }>

/** An id that may be another one each time, but is the same wherever it was the same. */
export type MaskedId = Readonly<{ place: string; expected: string; actual: string }>

/** Places whose values may differ, whole or by their last words. */
export type Masks = readonly string[]

/** How two requests differ. */
export type Comparison = ReturnType<typeof compare>

const DAY = 86_400_000

/** The forms that ids have. */
const ID_FORMS: readonly (string | null)[] = ['UUID', 'random id']

/** Values that are new each time, by their form; `near` says whether milliseconds are of today. */
const FORMS: Readonly<Record<string, (text: string, near: (ms: number) => boolean) => boolean>> = {
  UUID: (text) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  time: (text, near) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(text) &&
    near(Date.parse(text)),
  'HTTP date': (text, near) => / GMT$/.test(text) && near(Date.parse(text)),
  'Unix time': (text, near) =>
    /^\d{10}(\.\d+)?$|^\d{13}$/.test(text) && near(Number(text) * (text.length === 13 ? 1 : 1000)),
  'random id': (text) => /^[a-z]+_[A-Za-z]*\d[A-Za-z\d-]{8,}$/.test(text),
}

// Headers that carry an id or a time by what they are, whatever the form of their value.
const VOLATILE_HEADER =
  /^header (date|traceparent|tracestate|.*-(signature|hmac)(-.*)?|signature|.*-(timestamp|delivery|request-id))$/

/**
 * Compares two requests by all of their places. `masks` are places ('body.id') or the last words of
 * places ('id') whose values may differ; 'none': only they.
 */
export function compare(expected: CapturedRequest, actual: CapturedRequest, masks: Masks) {
  const [before, after] = [placesOf(expected), placesOf(actual)]
  const differences: Difference[] = []
  /** The places whose values differ and may, with the rule that says so. */
  const masked: string[] = []
  const ids: MaskedId[] = []
  const ruleFor = (place: string, one: string, other: string) => {
    if (masks.some((mask) => isNamed(place, mask))) return '--mask'
    if (masks.includes('none')) return null
    if (VOLATILE_HEADER.test(place)) return 'differs each time'
    const form = formOf(one, expected.time, other, actual.time)
    if (ID_FORMS.includes(form)) ids.push({ place, expected: bare(one), actual: bare(other) })
    return form
  }
  if (!isKept(expected) || !isKept(actual)) {
    // What was not kept can't be as expected.
    differences.push({ place: 'body', expected: extentOf(expected), actual: extentOf(actual) })
  }
  for (const place of new Set([...before.keys(), ...after.keys()])) {
    const [one = null, other = null] = [before.get(place), after.get(place)]
    const rule = one === null || other === null ? null : ruleFor(place, one, other)
    if (one === other) continue
    if (rule === null) differences.push({ place, expected: one, actual: other })
    else masked.push(`${place} (${rule})`)
  }
  return { differences, masked, ids }
}

/** Whether the body was neither cut nor withheld. */
export const isKept = ({ truncated, redacted, bytes }: CapturedRequest): boolean =>
  !truncated && !(redacted && bytes.equals(MASKED))

/** How much of a body is there. */
const extentOf = ({ bytes, size, redacted }: CapturedRequest): string =>
  redacted ? `withheld, ${size} B` : `${bytes.length} B kept of ${size} B`

/** A value without its quotes. */
const bare = (text: string) => text.replace(/^"(.*)"$/s, '$1')

/** Whether a mask names a place: whole, or its last word, with any index for '[]'. */
function isNamed(place: string, mask: string): boolean {
  const general = place.replace(/\[\d+\]/g, '[]')
  const isEnd = (text: string) => text.endsWith(`.${mask}`) || text.endsWith(` ${mask}`)
  return [place, general].some((text) => text === mask || isEnd(text))
}

/** The form that both values have, each at the time of its request, or null. */
function formOf(one: string, oneTime: Date, other: string, otherTime: Date): string | null {
  const near = (time: Date) => (ms: number) => Math.abs(ms - time.getTime()) < DAY
  const kind = (text: string) => bare(text).replace(/_.*$/, '')
  if (bare(one).includes('_') && kind(one) !== kind(other)) return null
  const form = Object.entries(FORMS).find(
    ([, has]) => has(bare(one), near(oneTime)) && has(bare(other), near(otherTime)),
  )
  return form?.[0] ?? null
}

/** Values by their place: 'method', 'header x-id', 'body.items[0].total'. */
type Places = ReadonlyMap<string, string>

const MOST_UNPACKED = 64 * 1024 * 1024

// These belong to one connection or to the library that sends, and say nothing of the webhook.
const TRANSPORT =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|expect|accept|accept-(encoding|language|charset)|user-agent|sec-fetch-.*)$/

/** Everything in a request that the sender has decided, by its place. */
export function placesOf(request: CapturedRequest): Places {
  const { method, path, url, headers } = request
  const places = new Map<string, string>()
  const add = (place: string, value: string) => {
    let free = place
    for (let n = 2; places.has(free); n++) free = `${place} (${n})`
    places.set(free, value)
  }
  add('method', method)
  add('path', path)
  for (const [name, value] of queryOf(url)) add(`query ${name}`, value)
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (!TRANSPORT.test(lower)) add(`header ${lower}`, withoutBoundary(value))
  }
  addBody(decodeContent(request, MOST_UNPACKED), 'body', add)
  return places
}

/** The boundary of a multipart body is another one each time. */
const withoutBoundary = (value: string) => value.replace(/;\s*boundary=.*/i, '')

type Add = (place: string, value: string) => void

function addBody(content: Content, at: string, add: Add) {
  const { headers, bytes } = content
  if (bytes.length === 0) return add(at, '')
  const json = jsonPlaces(bytes, at)
  if (json) return json.forEach(([place, value]) => add(place, value))
  if (mediaType(headers) === 'application/x-www-form-urlencoded') {
    // Or a form would be the same as the JSON with these keys.
    add(at, 'form')
    return formFields(bytes.toString()).forEach(([name, value]) => add(`${at}.${name}`, value))
  }
  const parts = multipartParts(content)
  if (!parts && isUtf8(bytes)) return add(at, bytes.toString())
  if (!parts) return add(`${at} (base64)`, bytes.toString('base64'))
  add(at, 'multipart')
  for (const part of parts) {
    const place = `${at}.${part.name}`
    if (part.fileName !== undefined) add(`${place} (file name)`, part.fileName)
    for (const [name, value] of part.headers) {
      const lower = name.toLowerCase()
      // What a disposition says are the names.
      if (lower !== 'content-disposition') add(`${place} header ${lower}`, withoutBoundary(value))
    }
    addBody(part, place, add)
  }
}

/** Every value of a JSON text by its path, numbers as they were sent; null where it is none. */
function jsonPlaces(bytes: Buffer, root: string): Pair[] | null {
  if (!isUtf8(bytes)) return null
  const scanner = new JsonScanner(bytes)
  const places: Pair[] = []
  /** The open containers: the place of each, and of a list how many values it has so far. */
  const open: { place: string; count: number; isList: boolean }[] = []
  let place = root
  for (let kind = scanner.next(); kind > BAD; kind = scanner.next()) {
    const around = open.at(-1)
    const token = bytes.toString('utf8', scanner.start, scanner.end)
    if (kind === KEY) {
      const key = JSON.parse(token) as string
      place = `${around!.place}${/^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`}`
      around!.count++
    } else if (kind === CLOSE) {
      const closed = open.pop()!
      if (closed.count === 0) places.push([closed.place, closed.isList ? '[]' : '{}'])
    } else {
      if (around?.isList) place = `${around.place}[${around.count++}]`
      if (kind === OPEN) open.push({ place, count: 0, isList: token === '[' })
      // Escapes are spelling; digits are not.
      else places.push([place, kind === STRING ? JSON.stringify(JSON.parse(token)) : token])
    }
  }
  return scanner.error ? null : places
}
