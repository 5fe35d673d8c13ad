/**
 * Gives each test file an empty database with the migrations applied and an empty bucket, as a new deployment has them, and
 * the real clock: the files share an isolate, so that a clock which one of them stopped would stand still in the next.
 */

import { env } from 'cloudflare:workers'
import { afterAll, vi } from 'vitest'
import { emptyDatabase } from './migrated-database.ts'

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

await emptyDatabase()

const { objects } = await env.TEST_BUCKET.list()
if (objects.length > 0) await env.TEST_BUCKET.delete(objects.map(({ key }) => key))
