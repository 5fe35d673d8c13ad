// A request as a flat list of places and values, which is what two requests are compared by.
import { isUtf8 } from 'node:buffer'
import { decodeContent, formFields, mediaType, multipartParts, queryOf } from '../content.js'
import type { Content, Pair } from '../content.js'
import { BAD, CLOSE, JsonScanner, KEY, OPEN, STRING } from '../json-scanner.js'
import type { CapturedRequest } from '../request.js'

/** Values by their place: 'method', 'header x-id', 'body.items[0].total'. */
export type Places = ReadonlyMap<string, string>

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
