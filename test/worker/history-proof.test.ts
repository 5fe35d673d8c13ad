/** What the proof of a day reads: each file once in a run, however many batches retention deletes. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { ArchiveProof } from '../../worker/history/archive-proof.ts'
import { DAY } from '../../worker/lib/time.ts'
import { HISTORY_TABLE_NAMES } from '../../worker/schema/history-tables.ts'
import { Database } from '../../worker/store/database.ts'
import { countingBucket, filesOfPart } from './history-days.ts'
import { bucket, emptyBucket, rowsByFile } from './history-files.ts'

const DAY_NUMBER = Date.UTC(2025, 0, 1) / DAY
const PARTS = 64
const BATCHES = 3

it('reads each file of a day of 64 parts once', async () => {
  await emptyBucket()
  for (let part = 0; part < PARTS; part++) {
    const fleet = { nodes: 1, runs: BATCHES, start: DAY_NUMBER * DAY, intervalSeconds: 60 }
    const mix = { unchanged: 0, changed: 1, failed: 0, noop: 0 }
    for (const [path, bytes] of await filesOfPart({ ...fleet, mix, seed: part }, part))
      await bucket.put(path, bytes)
  }
  const rows = [...(await rowsByFile('reports')).values()].flat()
  expect(new Set(rows.map(({ hash }) => hash)).size).toBe(PARTS * BATCHES)
  const { bucket: counted, reads } = countingBucket()
  const history = { bucket: counted, tables: HISTORY_TABLE_NAMES, required: true }
  const proof = new ArchiveProof(Database.primary(env.DB), history)
  for (let batch = 0; batch < BATCHES; batch++) {
    const hashes = rows
      .filter((_, place) => place % BATCHES === batch)
      .map(({ hash }) => String(hash))
    const strange = hashes.map((hash) => `${hash.slice(0, 20)}${'0'.repeat(20)}`)
    expect(await proof.heldOf(DAY_NUMBER, [...hashes, ...strange])).toEqual(new Set(hashes))
  }
  expect(reads()).toBe(PARTS * HISTORY_TABLE_NAMES.length)
})
