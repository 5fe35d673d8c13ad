/** `timeout` bounds how long an answer is waited for. */

import { describe, expect, it } from 'vitest'
import { request } from './client.ts'
import { around } from './database.ts'

/** The database, but it takes so long to answer. */
const slow = (milliseconds: number): D1Database =>
  around(async (send) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    return send()
  })

describe('an answer that takes a second', () => {
  it.each([
    ['0.05', 503, 'The query exceeded its timeout of 0.05 seconds.'],
    ['60', 200, '[]'],
    ['0', 200, '[]'],
  ])('timeout=%s: %i', async (timeout, status, body) => {
    const response = await request(`/query/v4/nodes?timeout=${timeout}`, {}, slow(1000))
    expect(response.status).toBe(status)
    expect(await response.text()).toBe(body)
    expect(response.headers.has('retry-after')).toBe(status === 503)
  })

  it.each(['-1', 'soon', ''])('timeout=%s is refused', async (timeout) => {
    const response = await request(`/query/v4/nodes?timeout=${timeout}`)
    expect(response.status).toBe(400)
    expect(await response.text()).toBe(`Query timeout must be non-negative number, not ${timeout}`)
  })
})
