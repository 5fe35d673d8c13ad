/** A part of the history of the most reports is written within an isolate of 128 MB. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClient } from '../../../bench/client.ts'
import { commandsOf } from '../../../bench/commands.ts'
import { load } from '../../../bench/load.ts'
import { probeOf } from '../../../bench/probe.ts'
import { DAY } from '../../../worker/lib/time.ts'
import type { Service } from '../../../worker/local/service.ts'
import { startLocalService } from '../../local/local-service.ts'
import { buildIn, Isolate, ISOLATE_MB } from './isolate.ts'
import type { Archiving } from './service.ts'

const NODES = 326
const RUNS = 46
/** What a part holds at most (part-writer.ts). */
const MOST_REPORTS = 15_000
const ARCHIVED_AT = Date.UTC(2026, 2, 2) + 3 * DAY
/** For files that are being written: outside of the heap, and of its limit. */
const BUFFERS_MB = 24
/** For the requests that the isolate answers meanwhile. */
const SPARE_MB = 24

let folder = ''
let service: Service
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-'))
  service = await startLocalService(
    { REPORT_TTL: '0', NODE_TTL: '0', HISTORY_MODE: 'off', LOG_REQUESTS: 'off' },
    { probed: true },
  )
  const client = openClient(`${service.url}/pdb`)
  const commands = commandsOf(null, { nodes: NODES, runs: RUNS, seed: 3 })
  await load(client, commands, { clients: 4, total: null })
  client.close()
  await service.tick(undefined, new Date(ARCHIVED_AT))
}, 180_000)
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

it('15,000 reports, with room for requests beside', async () => {
  const program = await buildIn(folder, 'test/platform/isolate/service.ts')
  const heapMB = 26
  const isolate = Isolate.start(program, { settings: {} }, probeOf(service), heapMB)
  const { body } = await isolate.request({ path: '', archiveAt: ARCHIVED_AT })
  await isolate.end()
  const { archived, files, mostBufferBytes } = JSON.parse(body) as Archiving
  expect(archived).toMatchObject({ failure: null, reports: expect.any(Number), parts: 1 })
  expect(archived.reports).toBeGreaterThan(0.98 * MOST_REPORTS)
  expect(Object.keys(files)).toHaveLength(4)
  expect(mostBufferBytes).toBeLessThan(BUFFERS_MB * 1_000_000)
}, 120_000)
