/** Content negotiation: answers are JSON, and rows NDJSON or CSV too, to whoever asks for it by `Accept`. */

import { Refused } from '../lib/errors.ts'

/** A form of answers → the ranges of an Accept header that it fits. */
const RANGES = {
  json: ['application/json', 'application/*', '*/*'],
  ndjson: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  csv: ['text/csv', 'text/*'],
} as const
export type Form = keyof typeof RANGES

export const FORMS = Object.keys(RANGES) as readonly Form[]

/**
 * The form that a header asks for: that of its first range that fits one, JSON where there is no
 * header, null where none fits. Weights are not weighed: clients write what they like best first.
 */
export function formOf(accept: string | undefined | null): Form | null {
  if (accept === undefined || accept === null) return 'json'
  for (const range of accept.split(',')) {
    const name = range.split(';')[0]!.trim().toLowerCase()
    const form = FORMS.find((one) => (RANGES[one] as readonly string[]).includes(name))
    if (form) return form
  }
  return null
}

/** What the Accept header of a request must have a place for: JSON, wherever in it, or any form that rows come in. */
export type Acceptable = 'json' | 'rows'

const ACCEPTS: Readonly<Record<Acceptable, (accept: string) => boolean>> = {
  json: (accept) => accept.split(',').some((range) => formOf(range) === 'json'),
  rows: (accept) => formOf(accept) !== null,
}

/** @throws Refused in PuppetDB's words where the header fits nothing that the route answers with */
export function requireAcceptable(accept: string | undefined, acceptable: Acceptable): void {
  if (!ACCEPTS[acceptable](accept ?? '*/*'))
    throw new Refused('not acceptable', 'must accept application/json')
}
