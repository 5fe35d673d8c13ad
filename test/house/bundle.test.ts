/** What is deployed stays small: an isolate that has to start reads all of it first. */

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundleWorker } from '../../worker/local/bundle.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Bytes, gzipped. The console is pages of text; what answers the API is held to its own bound. */
const MOST_OF_THE_API = 128_000
const MOST_OF_ALL = 161_000

const gzippedBytes = async (without: readonly string[]): Promise<number> =>
  gzipSync(await bundleWorker(ROOT, without), { level: 9 }).length

it(`the Worker's bundle takes at most ${MOST_OF_ALL} bytes, gzipped`, async () => {
  expect(await gzippedBytes([])).toBeLessThanOrEqual(MOST_OF_ALL)
})

it(`and ${MOST_OF_THE_API} of them without the console`, async () => {
  expect(await gzippedBytes(['./console/*'])).toBeLessThanOrEqual(MOST_OF_THE_API)
})
