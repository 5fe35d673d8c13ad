/** Reads the JSON object that a client sends to an endpoint of ours. */

import { QueryError, Refused } from '../lib/errors.ts'
import { jsonOrNull } from '../lib/json.ts'
import { readAtMost } from './body.ts'

export type JsonObject = Readonly<Partial<Record<string, unknown>>>

/**
 * @param what the body is of, for the sentence about its size: `a hook`
 * @param most its bytes
 * @param example a body that would be right
 * @throws Refused (413) for a larger body, QueryError for one that isn't a JSON object
 */
export async function readJsonObject(
  request: Request,
  { what, most, example }: { what: string; most: number; example: object },
): Promise<JsonObject> {
  const tooLarge = (): Refused =>
    new Refused('too large', `The body of ${what} may have at most ${most} bytes.`)
  const text = new TextDecoder().decode(await readAtMost(request, most, tooLarge))
  const body = jsonOrNull(text)
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject
  throw notLike(example)
}

/** Reads members that have to be texts. @throws QueryError with the example */
export function textsIn<const Name extends string>(
  body: JsonObject,
  names: readonly Name[],
  example: object,
): Readonly<Record<Name, string>> {
  const texts = names.map((name) => {
    const value = body[name]
    if (typeof value !== 'string') throw notLike(example)
    return [name, value] as const
  })
  return Object.fromEntries(texts) as Record<Name, string>
}

const notLike = (example: object): QueryError =>
  new QueryError(`The body must be JSON such as ${spaced(example)}.`)

/** `{"title": "Failed nodes", "query": "nodes {}"}` */
const spaced = (example: object): string =>
  `{${Object.entries(example)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(', ')}}`
