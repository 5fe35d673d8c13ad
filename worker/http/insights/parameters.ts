/** The parameters that every panel of `/insight/v1` takes beside its own. */

import { QueryError } from '../../lib/errors.ts'
import { readValues, type Readers, type ValuesOf } from '../../schema/readers.ts'

export const SCOPE = ['since', 'until', 'environment', 'filter', 'exclude', 'silent_after'] as const
export const COMMON = [...SCOPE, 'pretty'] as const

/** @throws QueryError for a parameter that is sent twice or can't be read */
export function readParameters<Taken extends Readers>(
  parameters: URLSearchParams,
  readers: Taken,
): ValuesOf<Taken> {
  const seen = new Set<string>()
  for (const name of parameters.keys()) {
    if (seen.has(name)) throw new QueryError(`The parameter '${name}' is given twice.`)
    seen.add(name)
  }
  return readValues(readers, (name) => parameters.get(name) ?? undefined)
}
