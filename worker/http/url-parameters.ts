/** Refuses parameters that an endpoint does not take, with the name that was probably meant. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'

/** @throws QueryError for the first name that is not among `known` */
export function refuseUnknown(names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) {
    if (!known.includes(name)) {
      throw new QueryError(`Unsupported query parameter '${name}'.${suggestion(name, known)}`)
    }
  }
}

export const refuseUnknownParameters = ({ searchParams }: URL, known: readonly string[]): void =>
  refuseUnknown(searchParams.keys(), known)
