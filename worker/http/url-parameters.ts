/** Refuses parameters that an endpoint does not take, with the name that was probably meant. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'

/** @throws QueryError for the first name that is not among `known` */
export function refuseUnknown(names: Iterable<string>, known: readonly string[]): void {
  for (const name of names) {
    if (!known.includes(name)) {
      // PuppetDB's whole sentence, which has no full stop.
      const nearest = suggestion(name, known)
      const stop = nearest === '' ? '' : '.'
      throw new QueryError(`Unsupported query parameter '${name}'${stop}${nearest}`)
    }
  }
}

export const refuseUnknownParameters = ({ searchParams }: URL, known: readonly string[]): void =>
  refuseUnknown(searchParams.keys(), known)
