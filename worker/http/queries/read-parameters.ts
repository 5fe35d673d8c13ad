/** Reads the parameters of a query endpoint: from the URL, or from the JSON body of a POST. */

import { QueryError, Refused } from '../../lib/errors.ts'
import type { Json } from '../../lib/json.ts'
import { isRecord, jsonText, parseJson } from '../../lib/lossless.ts'
import { longestQueryBytes } from '../../schema/query-length.ts'
import { parseJsonQuery } from '../../query/json.ts'
import { readAtMost, requireJson } from '../body.ts'
import type { QueryParameters } from './parameters.ts'

/** Parameters that are JSON in a URL. */
const JSON_PARAMETERS: Readonly<Record<string, (text: string) => Json>> = {
  order_by: (text) => jsonOr(text, 'order_by', 'a JSON array of maps.'),
  counts_filter: (text) => jsonOr(text, 'counts_filter', 'a JSON array.'),
}

function jsonOr(text: string, name: string, expected: string): Json {
  if (text === '') return null
  try {
    return parseJson(text)
  } catch {
    throw new QueryError(`Illegal value '${text}' for :${name}; expected ${expected}`)
  }
}

/**
 * The parameters of a request.
 *
 * @param longest characters of a body
 * @throws Refused for another media type than JSON or a body that is too large, QueryError for a body that isn't a JSON map
 */
export async function readQueryParameters(
  request: Request,
  longest: number,
): Promise<QueryParameters> {
  const url = fromUrl(new URL(request.url).searchParams)
  if (request.method !== 'POST') return url
  requireJson(request)
  const text = await readText(request, longest)
  if (text.trim() === '') return url
  if (url.size > 0) {
    throw new QueryError('Send parameters either in the URL or in the body, not in both.')
  }
  const body = parseJsonQuery(text)
  if (!isRecord(body)) {
    throw new QueryError('The body must be a JSON map such as {"query": […], "limit": 10}.')
  }
  return new Map(Object.entries(body))
}

async function readText(request: Request, longest: number): Promise<string> {
  const tooLong = (length: string): Refused =>
    new Refused(
      'too large',
      `The query is too long: it has ${length}, at most ${longest} are allowed.`,
    )
  const most = longestQueryBytes({ MAX_QUERY_LENGTH: longest })
  const bytes = await readAtMost(request, most, () => tooLong(`more than ${most} bytes`))
  const text = new TextDecoder().decode(bytes)
  if (text.length > longest) throw tooLong(`${text.length} characters`)
  return text
}

/** Characters of all values. */
export const lengthOf = (parameters: QueryParameters): number =>
  [...parameters.values()].reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value : jsonText(value)).length,
    0,
  )

function fromUrl(searchParams: URLSearchParams): QueryParameters {
  const parameters = new Map<string, Json>()
  for (const [name, text] of searchParams) {
    if (parameters.has(name)) throw new QueryError(`The parameter '${name}' is given twice.`)
    const read = Object.hasOwn(JSON_PARAMETERS, name) ? JSON_PARAMETERS[name] : undefined
    parameters.set(name, read ? read(text) : text)
  }
  return parameters
}
