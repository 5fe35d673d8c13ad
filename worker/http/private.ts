/** Answers are for whoever asked: nothing in between keeps them, and no browser takes them for anything else than they say. */

import type { MiddlewareHandler } from 'hono'

const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cache-control', 'private, no-store'],
]

/** Puts the headers on every answer that doesn't say otherwise itself. */
export const answersPrivately: MiddlewareHandler = async (c, next) => {
  await next()
  for (const [name, value] of HEADERS) {
    if (!c.res.headers.has(name)) c.res.headers.set(name, value)
  }
}
