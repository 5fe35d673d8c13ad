/** Archives and long answers stay within the queries that a plan gives a request, counted both ways, and say what is left. */

import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { METADATA_PATH, metadataText, reportPath } from '../../worker/archive/format.ts'
import { TAR_END, tarFile } from '../../worker/archive/tar.ts'
import { NOON } from '../worker/reports.ts'
import { wrongIn } from '../soundness.ts'
import { copyReports, failedEvents, reportAt } from './fleet.ts'
import { Platform, type Sent } from './platform.ts'

beforeAll(() => {
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockReturnValue(undefined)
  }
})

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

/** An archive as PuppetDB exports it, of reports of so many nodes. */
function archiveOf(count: number): Uint8Array<ArrayBuffer> {
  const files = Array.from({ length: count }, (_, n) => {
    const parts = n % 20 === 7 ? failedEvents(3) : {}
    const payload = reportAt(`web${n % 100}`, NOON + n, { transaction_uuid: null, ...parts })
    const path = reportPath(`web${n % 100}`, n.toString(16).padStart(40, '0'))
    return tarFile(path, Buffer.from(JSON.stringify(payload)), NOON)
  })
  const metadata = tarFile(METADATA_PATH, Buffer.from(metadataText('2026-03-02T12:00:00Z')), NOON)
  return new Uint8Array(gzipSync(Buffer.concat([metadata, ...files, TAR_END])))
}

interface Imported {
  readonly next?: number
  readonly stored: number
  readonly duplicates: number
}

/** Imports an archive by as many requests as it takes. */
async function importAll(platform: Platform, body: Uint8Array<ArrayBuffer>) {
  const sum = { requests: 0, stored: 0, duplicates: 0, batches: 0, statements: 0 }
  for (let from: number | undefined = 0; from !== undefined;) {
    const path = `/pdb/admin/v1/archive?from=${from}`
    const answered = await platform.request(path, { method: 'POST', body })
    expect([answered.status, answered.body]).toEqual([200, expect.any(String)])
    const { next, stored, duplicates } = JSON.parse(answered.body) as Imported
    expect(next ?? Infinity).toBeGreaterThan(from)
    from = next
    sum.requests++
    sum.stored += stored
    sum.duplicates += duplicates
    sum.batches += answered.batches
    sum.statements += answered.statements
  }
  return sum
}

describe('an archive', () => {
  it('of 2,000 reports comes in on the paid plan, and again at the cost of a query a hundred', async () => {
    const platform = await planned(1000, 'statements')
    const body = archiveOf(2000)
    const first = await importAll(platform, body)
    expect(first).toMatchObject({ stored: 2000, duplicates: 0 })
    // Some three statements a report, and ten more a batch of a hundred.
    expect(first.statements).toBeLessThan(3.6 * 2000)
    expect(first.requests).toBeLessThanOrEqual(9)
    // A batch reads which reports are stored, and stores the others.
    expect(first.batches).toBeLessThanOrEqual(2 * 20 + 2 * first.requests)
    const again = await importAll(platform, body)
    expect(again).toEqual({ requests: 1, stored: 0, duplicates: 2000, batches: 20, statements: 40 })
    expect(await wrongIn(platform.binding)).toEqual({})
  })

  it('costs its bad entries alone, where D1 refuses a batch or has no time for it', async () => {
    const platform = await Platform.deploy()
    platform.conditions.failing = { statement: 30, message: 'D1_ERROR: string or blob too big' }
    expect(await importAll(platform, archiveOf(60))).toMatchObject({ stored: 60 })
    platform.conditions.failing = null
    const slow = await Platform.deploy()
    slow.conditions.mostRows = 400
    expect(await importAll(slow, archiveOf(60))).toMatchObject({ stored: 60 })
    const answers = await Promise.all([platform, slow].map((one) => one.ask('reports')))
    expect(answers.map((rows) => rows.length)).toEqual([60, 60])
    expect(await wrongIn(slow.binding)).toEqual({})
  })

  it('holds each report and run once, and other commands, within one batch', async () => {
    const platform = await Platform.deploy()
    const run = { transaction_uuid: '68b08e2a-eeb1-4322-b241-bfdf151d2949' }
    const payloads = [
      reportAt('web1', NOON, run),
      reportAt('web1', NOON, run),
      reportAt('web2', NOON),
    ]
    const file = (folder: string, name: string, payload: object) =>
      tarFile(`puppetdb-bak/${folder}/${name}.json`, Buffer.from(JSON.stringify(payload)), NOON)
    const facts = (certname: string) => ({
      certname,
      environment: 'lab',
      producer_timestamp: new Date(NOON).toISOString(),
      values: {},
    })
    const files = [
      tarFile(METADATA_PATH, Buffer.from(metadataText('2026-03-02T12:00:00Z')), NOON),
      ...payloads.map((payload, n) =>
        file('reports', `web-${n.toString(16).padStart(40, '0')}`, payload),
      ),
      file('reports', 'bad', { certname: 'bad' }),
      ...['web1', 'web3', 'web4'].map((name) => file('facts', name, facts(name))),
      ...['web1', 'web2'].map((name) => file('catalog_inputs', name, { certname: name })),
      tarFile('puppetdb-bak/readme', Buffer.from('x'), NOON),
      TAR_END,
    ]
    const body = new Uint8Array(gzipSync(Buffer.concat(files)))
    const answered = await platform.request('/pdb/admin/v1/archive', { method: 'POST', body })
    expect(JSON.parse(answered.body)).toMatchObject({
      ok: false,
      entries: 10,
      stored: 2,
      duplicates: 1,
      other: 5,
      ignored: 1,
      refused: 1,
      problems: [{ entry: 'puppetdb-bak/reports/bad.json' }],
    })
    // What is stored; reports; facts; ignored commands.
    expect(answered.batches).toBe(4)
    const nodes = await platform.ask<{ certname: string }>('nodes', {
      order_by: [{ field: 'certname' }],
    })
    expect(nodes.map(({ certname }) => certname)).toEqual(['web1', 'web2', 'web3', 'web4'])
  })
})

describe.each(PLANS)('on the plan %s', (_, queries, counting) => {
  it('an archive comes in by requests that go on where the one before stopped', async () => {
    const platform = await planned(queries, counting)
    const { stored, requests } = await importAll(platform, archiveOf(40))
    expect(stored).toBe(40)
    expect(requests).toBeGreaterThan(1)
    expect(requests).toBeLessThanOrEqual(10)
    expect(await platform.ask('reports')).toHaveLength(40)
    expect(await wrongIn(platform.binding)).toEqual({})
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
