/**
 * Gives each test file an empty database with the migrations applied and an empty bucket, as a new deployment has them, and
 * the real clock: the files share an isolate, so that a clock which one of them stopped would stand still in the next.
 * Pages are waited for: a page that is slow on a busy machine would be sent in two parts, and then always with status 200.
 */

import { env } from 'cloudflare:workers'
import { afterAll, vi } from 'vitest'
import { AHEAD_MS } from '../../worker/console/respond.ts'
import { emptyDatabase } from './migrated-database.ts'

const NEVER = 2 ** 31 - 1
const { setTimeout } = globalThis
globalThis.setTimeout = ((call: () => void, milliseconds?: number, ...given: []) =>
  setTimeout(call, milliseconds === AHEAD_MS ? NEVER : milliseconds, ...given)) as typeof setTimeout

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  globalThis.setTimeout = setTimeout
})

await emptyDatabase()

const { objects } = await env.TEST_BUCKET.list()
if (objects.length > 0) await env.TEST_BUCKET.delete(objects.map(({ key }) => key))
