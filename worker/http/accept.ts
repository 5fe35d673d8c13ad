/** Content negotiation by `Accept`: responses are JSON, and rows can also be NDJSON or CSV. */

import { Refused } from '../lib/errors.ts'

/** Form of a response → the media ranges that it fits. */
const RANGES = {
  json: ['application/json', 'application/*', '*/*'],
  ndjson: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  csv: ['text/csv', 'text/*'],
} as const
export type Form = keyof typeof RANGES

export const FORMS = Object.keys(RANGES) as readonly Form[]

/**
 * The form of the header's first range that fits one; JSON without a header, null where no range fits.
 * Weights are ignored, since clients write their favourite first.
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

/** What an Accept header must allow: JSON, in any of its ranges, or any form of rows. */
export type Acceptable = 'json' | 'rows'

const ACCEPTS: Readonly<Record<Acceptable, (accept: string) => boolean>> = {
  json: (accept) => accept.split(',').some((range) => formOf(range) === 'json'),
  rows: (accept) => formOf(accept) !== null,
}

/** @throws Refused, in PuppetDB's words, for a header that does not allow the route's forms */
export function requireAcceptable(accept: string | undefined, acceptable: Acceptable): void {
  if (!ACCEPTS[acceptable](accept ?? '*/*'))
    throw new Refused('not acceptable', 'must accept application/json')
}
