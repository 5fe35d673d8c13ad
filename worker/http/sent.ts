/** Reads what a request sends to a query endpoint: its URL, or the JSON body of a POST. */

import { QueryError, Refused } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { parseJsonQuery } from '../query/json.ts'
import { readAtMost } from './body.ts'
import type { Sent } from './parameters.ts'

/** Parameters of a URL whose texts are JSON. */
const JSON_PARAMETERS: Readonly<Record<string, (text: string) => Json>> = {
  order_by: (text) => jsonOr(text, 'order_by', 'a JSON array of maps.'),
  counts_filter: (text) => jsonOr(text, 'counts_filter', 'a JSON array.'),
}

function jsonOr(text: string, name: string, expected: string): Json {
  if (text === '') return null
  try {
    return JSON.parse(text) as Json
  } catch {
    throw new QueryError(`Illegal value '${text}' for :${name}; expected ${expected}`)
  }
}

/** Bytes of the longest escape in JSON, such as that of NUL. */
const MOST_BYTES_OF_A_CHARACTER = 6

/**
 * The parameters of a request.
 *
 * @param longest characters of a body that are read
 * @throws Refused for a media type that is not JSON or a body that is too large, QueryError for a body that is no JSON map
 */
export async function readSent(request: Request, longest: number): Promise<Sent> {
  const url = fromUrl(new URL(request.url).searchParams)
  if (request.method !== 'POST') return url
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== undefined && type !== 'application/json') {
    throw new Refused(415, `content type ${type} not supported`)
  }
  const text = await readText(request, longest)
  if (text.trim() === '') return url
  if (url.size > 0) {
    throw new QueryError('Parameters belong either into the URL or into the body, not into both.')
  }
  const body = parseJsonQuery(text)
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new QueryError('The body must be a JSON map such as {"query": […], "limit": 10}.')
  }
  return new Map(Object.entries(body))
}

async function readText(request: Request, longest: number): Promise<string> {
  const tooLong = (length: string): Refused =>
    new Refused(413, `The query is too long: it has ${length}, and ${longest} are read.`)
  const most = longest * MOST_BYTES_OF_A_CHARACTER
  const bytes = await readAtMost(request, most, () => tooLong(`more than ${most} bytes`))
  const text = new TextDecoder().decode(bytes)
  if (text.length > longest) throw tooLong(`${text.length} characters`)
  return text
}

/** Characters of the values that were sent. */
export const lengthOf = (sent: Sent): number =>
  [...sent.values()].reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value : JSON.stringify(value)).length,
    0,
  )

function fromUrl(parameters: URLSearchParams): Sent {
  const sent = new Map<string, Json>()
  for (const [name, text] of parameters) {
    if (sent.has(name)) throw new QueryError(`The parameter '${name}' is given twice.`)
    const read = Object.hasOwn(JSON_PARAMETERS, name) ? JSON_PARAMETERS[name] : undefined
    sent.set(name, read ? read(text) : text)
  }
  return sent
}
