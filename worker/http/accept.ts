/** Content negotiation: answers are JSON, to whoever takes it. */

import type { MiddlewareHandler } from 'hono'
import { Refused } from '../lib/errors.ts'

const RANGES: readonly string[] = ['application/json', 'application/*', '*/*']

/** Refuses a request whose Accept header leaves JSON out. Weights are not weighed: one range that fits is enough. */
export const acceptsJson: MiddlewareHandler = async (c, next) => {
  const accept = c.req.header('accept')
  const ranges = accept?.split(',').map((range) => range.split(';')[0]!.trim().toLowerCase())
  if (ranges && !ranges.some((range) => RANGES.includes(range))) {
    throw new Refused(406, 'must accept application/json')
  }
  await next()
}
