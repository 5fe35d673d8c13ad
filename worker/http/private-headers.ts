/** Headers for every response: no cache keeps it, and no browser guesses another type or leaks its address. */

import type { MiddlewareHandler } from 'hono'

const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cache-control', 'private, no-store'],
]

/** Sets the headers on responses that don't have their own. */
export const withPrivateHeaders: MiddlewareHandler = async (c, next) => {
  await next()
  for (const [name, value] of HEADERS) {
    if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  }
}
