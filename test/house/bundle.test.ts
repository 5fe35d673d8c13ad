/** What is deployed stays small: an isolate that has to start reads all of it first. */

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundleWorker } from '../../worker/local/bundle.ts'

const MOST_BYTES = 120_000

it(`the Worker's bundle takes at most ${MOST_BYTES} bytes, gzipped`, async () => {
  const bundle = await bundleWorker(join(import.meta.dirname, '../..'))
  expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(MOST_BYTES)
})
