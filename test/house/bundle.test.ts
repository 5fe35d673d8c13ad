/** Bounds the size of the deployed Worker: an isolate that starts has to read all of it first. */

import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundleWorker } from '../../worker/local/bundle.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Gzipped: what an isolate reads when it starts. Cloudflare takes 3 MB on the free plan; users feel the start. */
const MOST_BYTES = 256 * 1024

it(`the Worker's main module has at most ${MOST_BYTES} bytes, gzipped`, async () => {
  const { text, folders } = await bundleWorker(ROOT)
  const listed = folders.map(([folder, bytes]) => `${folder}: ${bytes}`).join('\n')
  const { length } = gzipSync(text, { level: 9 })
  expect(length, `Bytes by folder, minified:\n${listed}\n`).toBeLessThanOrEqual(MOST_BYTES)
})

it('the library that writes the history is a module of its own, which no request loads', async () => {
  const { text, folders, others } = await bundleWorker(ROOT)
  expect(folders.map(([folder]) => folder)).not.toContain('node_modules/hyparquet-writer')
  const [writer] = [...others.keys()].filter((name) => /^parquet-writer-\w+\.mjs$/.test(name))
  expect(text).toContain(`import("./${writer}")`)
})
