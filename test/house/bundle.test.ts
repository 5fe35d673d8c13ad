/** Bounds the size of the deployed Worker: an isolate that starts has to read all of it first. */

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundleWorker } from '../../worker/local/bundle.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Gzipped. Cloudflare takes 3 MB on the free plan; what users feel is the start of an isolate (bench:start). */
const MOST_BYTES = 256 * 1024

it(`the Worker's bundle has at most ${MOST_BYTES} bytes, gzipped`, async () => {
  const { text, folders } = await bundleWorker(ROOT)
  const listed = folders.map(([folder, bytes]) => `${folder}: ${bytes}`).join('\n')
  const { length } = gzipSync(text, { level: 9 })
  expect(length, `Bytes by folder, minified:\n${listed}\n`).toBeLessThanOrEqual(MOST_BYTES)
})
