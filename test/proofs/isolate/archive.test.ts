/** A part of the history of the most reports is written within an isolate of 128 MB. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClient } from '../../../bench/client.ts'
import { commandsOf } from '../../../bench/commands.ts'
import { load } from '../../../bench/load.ts'
import { probeOf, type Probe } from '../../../bench/probe.ts'
import type { Json } from '../../../worker/lib/json.ts'
import { DAY, MINUTE } from '../../../worker/lib/time.ts'
import { randomOf } from '../../../tools/fleet/random.ts'
import type { Service } from '../../../worker/local/service.ts'
import { decodeBody, encodeBody } from '../../../worker/report/body.ts'
import { bodyParts, events, longValues, openHours, reports } from '../../../worker/schema/tables.ts'
import { firstKey, hourOfKey } from '../../../worker/sql/encoding.ts'
import type { Statement } from '../../../worker/sql/statement.ts'
import { startLocalService } from '../../local/local-service.ts'
import { buildIn, Isolate, ISOLATE_MB } from './isolate.ts'
import type { Archiving } from './service.ts'

const NODES = 340
/** Half an hour apart, the first at midnight. */
const RUNS = 5
/** Later in the day, in the database: submitting them all would take most of this test. */
const COPIES = 8
const COPY_LATER_MS = RUNS * 30 * MINUTE
const MIDNIGHT = Date.UTC(2026, 2, 2)
/** What a part holds at most (part-writer.ts). */
const MOST_REPORTS = 15_000
const ARCHIVED_AT = MIDNIGHT + 3 * DAY
/** For files that are being written: outside of the heap, and of its limit. */
const BUFFERS_MB = 24
/** For the requests that the isolate answers meanwhile. */
const SPARE_MB = 24

/** Copies what was submitted of a table to `later` milliseconds after. @param key column with the key of the report */
function copyOf(table: SQLiteTable, key: string, later: number): Statement {
  const { name: tableName, columns } = getTableConfig(table)
  const names = columns.map(({ name }) => name)
  const copied: Readonly<Record<string, string>> = {
    [key]: `${key} + ${firstKey(later)}`,
    hash: 'randomblob(20)',
    start_time: `start_time + ${later}`,
    end_time: `end_time + ${later}`,
    timestamp: `timestamp + ${later}`,
  }
  const values = names.map((name) => copied[name] ?? name)
  return {
    sql: `insert into ${tableName} (${names.join()}) select ${values.join()} from ${tableName} where ${key} < ?1`,
    params: [firstKey(MIDNIGHT + COPY_LATER_MS)],
  }
}

/** Gives each copy metrics of its own, as runs have: equal ones would take less memory than those of a fleet. */
async function varyMetrics(probe: Probe): Promise<void> {
  const [read] = await probe([
    {
      sql: 'select r.id, hex(r.body) body, m.names from reports r join metric_sets m on m.id = r.metric_set where r.id >= ?1',
      params: [firstKey(MIDNIGHT + COPY_LATER_MS)],
    },
  ])
  const random = randomOf(3)
  const updates = (read!.results as { id: number; body: string; names: string }[]).map(
    ({ id, body, names }) => {
      const { metrics, logs } = decodeBody(names, Buffer.from(body, 'hex'))
      const varied = (JSON.parse(metrics) as { value: number }[]).map(({ value, ...metric }) => {
        const others = value * (0.5 + random.fraction())
        return {
          ...metric,
          value: Number.isInteger(value) ? Math.round(others) : Number(others.toFixed(9)),
        }
      })
      const encoded = encodeBody({ metrics: varied, logs: JSON.parse(logs) as Json[] })
      return { sql: 'update reports set body = ?1 where id = ?2', params: [encoded.body, id] }
    },
  )
  for (let from = 0; from < updates.length; from += 500)
    await probe(updates.slice(from, from + 500))
}

let folder = ''
let service: Service
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-'))
  service = await startLocalService(
    { REPORT_TTL: '0', NODE_TTL: '0', HISTORY_MODE: 'off', LOG_REQUESTS: 'off' },
    { probed: true },
  )
  const client = openClient(`${service.url}/pdb`)
  const commands = commandsOf(null, { nodes: NODES, runs: RUNS, seed: 3, start: MIDNIGHT })
  await load(client, commands, { clients: 4, total: null })
  client.close()
  const copies = Array.from({ length: COPIES }, (_, copy) => (copy + 1) * COPY_LATER_MS)
  const { name: openHoursName } = getTableConfig(openHours)
  await probeOf(service)([
    ...copies.flatMap((later) => [
      copyOf(reports, 'id', later),
      copyOf(events, 'report', later),
      copyOf(longValues, 'report', later),
      copyOf(bodyParts, 'report', later),
    ]),
    {
      sql: `insert or ignore into ${openHoursName} (hour) select distinct ${hourOfKey('id')} from reports`,
      params: [],
    },
  ])
  await varyMetrics(probeOf(service))
  await service.tick(undefined, new Date(ARCHIVED_AT))
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

it('15,000 reports, with room for requests beside', async () => {
  const program = await buildIn(folder, 'test/proofs/isolate/service.ts')
  const heapMB = ISOLATE_MB - BUFFERS_MB - SPARE_MB
  const isolate = Isolate.start(program, { settings: {} }, probeOf(service), heapMB)
  const { body } = await isolate.request({ path: '', archiveAt: ARCHIVED_AT })
  await isolate.end()
  const { archived, files, mostBufferBytes } = JSON.parse(body) as Archiving
  expect(archived).toMatchObject({ failure: null, reports: expect.any(Number), parts: 1 })
  expect(archived.reports).toBeGreaterThan(0.98 * MOST_REPORTS)
  expect(Object.keys(files)).toHaveLength(4)
  expect(mostBufferBytes).toBeLessThan(BUFFERS_MB * 1_000_000)
})
