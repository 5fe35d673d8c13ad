/** Content negotiation: answers are JSON, and rows NDJSON or CSV too, to whoever asks for it by `Accept`. */

import type { MiddlewareHandler } from 'hono'
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

/** Refuses a request whose Accept header does not fit, in PuppetDB's words. */
const accepting =
  (fits: (accept: string) => boolean): MiddlewareHandler =>
  async (c, next) => {
    if (!fits(c.req.header('accept') ?? '*/*'))
      throw new Refused(406, 'must accept application/json')
    await next()
  }

/** One that has JSON, wherever in it that stands. */
export const acceptsJson = accepting((accept) =>
  accept.split(',').some((range) => formOf(range) === 'json'),
)

/** One that has a form that rows come in. */
export const acceptsRows = accepting((accept) => formOf(accept) !== null)
