/** Archives and long answers stay within the queries that a plan gives a request, counted both ways, and say what is left. */

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { METADATA_PATH, metadataText, reportPath } from '../../worker/archive/format.ts'
import { TAR_END, tarFile } from '../../worker/archive/tar.ts'
import { NOON } from '../worker/reports.ts'
import { copyReports, reportAt } from './fleet.ts'
import { Platform, type Sent } from './platform.ts'

beforeAll(() => {
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockReturnValue(undefined)
  }
})
afterAll(() => vi.restoreAllMocks())

const PLANS: readonly (readonly [plan: string, queries: number, counting: keyof Sent])[] = [
  ['free, by statements', 50, 'statements'],
  ['free, by batches', 50, 'batches'],
]

/** A platform with a plan's limit, which the service knows. */
async function planned(queries: number, counting: keyof Sent): Promise<Platform> {
  const platform = await Platform.deploy({ MAX_QUERIES: String(queries) })
  Object.assign(platform.conditions, { mostQueries: queries, counting })
  return platform
}

/** An archive as PuppetDB exports it. */
function archiveOf(count: number): Uint8Array<ArrayBuffer> {
  const files = Array.from({ length: count }, (_, n) => {
    const text = JSON.stringify(reportAt(`web${n}`, NOON + n))
    return tarFile(reportPath(`web${n}`, n.toString(16).padStart(40, '0')), Buffer.from(text), NOON)
  })
  const metadata = tarFile(METADATA_PATH, Buffer.from(metadataText('2026-03-02T12:00:00Z')), NOON)
  return new Uint8Array(gzipSync(Buffer.concat([metadata, ...files, TAR_END])))
}

describe.each(PLANS)('on the plan %s', (_, queries, counting) => {
  it('an archive comes in by requests that go on where the one before stopped', async () => {
    const platform = await planned(queries, counting)
    const body = archiveOf(20)
    let [from, stored, requests] = [0, 0, 0]
    for (let complete = false; !complete && requests < 20; requests++) {
      const answered = await platform.request(`/pdb/admin/v1/archive?from=${from}`, {
        method: 'POST',
        body,
      })
      expect([answered.status, answered.body]).toEqual([200, expect.any(String)])
      const outcome = JSON.parse(answered.body) as { next?: number; stored: number }
      stored += outcome.stored
      complete = outcome.next === undefined
      from = outcome.next ?? from
    }
    expect([stored, await platform.ask('producers')]).toEqual([
      20,
      [{ name: 'puppet.example.com' }],
    ])
    expect(requests).toBeGreaterThan(1)
  })

  it('an answer that is too long is refused, or ends with a line that says so', async () => {
    const platform = await planned(queries, counting)
    platform.conditions.mostQueries = Infinity
    await platform.submit(reportAt('web1', NOON))
    await copyReports(platform, 'web1', { count: 2500, step: 1000 })
    platform.conditions.mostQueries = queries
    const path = '/pdb/query/v4/reports'
    for (const url of [path, '/pdb/admin/v1/archive']) {
      const { status, body } = await platform.request(url)
      expect([status, body]).toEqual([
        400,
        expect.stringMatching(/^The answer has 2501 rows; with the 50/),
      ])
    }
    const lines = await platform.request(path, { headers: { accept: 'application/x-ndjson' } })
    const rows = lines.body.trimEnd().split('\n')
    expect([lines.status, lines.broken]).toEqual([200, false])
    expect(JSON.parse(rows.at(-1)!)).toEqual({ error: expect.stringMatching(/^This is not all:/) })
    expect(rows.length).toBeGreaterThan(500)
    const some = await platform.request(`${path}?limit=500`)
    expect([some.status, JSON.parse(some.body).length, some.broken]).toEqual([200, 500, false])
  })
})
