/** `npm run import` brings a history into a deployed Worker on either plan: a heap of 128 MB, and the plan's queries a request. */

import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { probeOf } from '../../../bench/probe.ts'
import { METADATA_PATH, metadataText, reportPath } from '../../../worker/archive/format.ts'
import { TAR_END, tarFile } from '../../../worker/archive/tar.ts'
import { fleetCommands } from '../../../tools/fleet/fleet.ts'
import { SETTINGS } from '../../../worker/schema/settings.ts'
import type { Service } from '../../../worker/local/service.ts'
import { ROOT, startLocalService } from '../../local/local-service.ts'
import { buildIn, Isolate } from './isolate.ts'
import { KINDS, packedPayload, type KindName } from './payloads.ts'

let folder = ''
let program = ''
let service: Service
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-'))
  program = await buildIn(folder, 'test/proofs/isolate/service.ts')
  service = await startLocalService({}, { probed: true })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

const NODES = 40

/** A history with every kind of run, and a report of the largest size of each kind that is hard. */
async function writeArchive(): Promise<{ readonly file: string; readonly reports: number }> {
  const payloads = [...fleetCommands({ nodes: NODES, runs: 2, seed: 8 })].map(({ payload }) =>
    JSON.stringify(payload),
  )
  const largest = SETTINGS.MAX_COMMAND_BYTES.initially
  for (const kind of Object.keys(KINDS) as KindName[]) {
    payloads.push(gunzipSync(packedPayload(kind, largest, 400_000)).toString())
  }
  const files = payloads.map((text, n) =>
    tarFile(reportPath('x', n.toString(16).padStart(40, '0')), Buffer.from(text), 0),
  )
  const metadata = tarFile(METADATA_PATH, Buffer.from(metadataText('2026-03-02T12:00:00Z')), 0)
  const file = join(folder, 'archive.tgz')
  await writeFile(file, gzipSync(Buffer.concat([metadata, ...files, TAR_END])))
  return { file, reports: payloads.length }
}

/** The isolate behind an address, and the most statements that a request sent. */
async function listen(isolate: Isolate): Promise<{ server: Server; most: () => number }> {
  let most = 0
  const server = createServer((request, response) => {
    void request.toArray().then(async (pieces: Buffer[]) => {
      const { status, body, statements } = await isolate.request({
        method: request.method!,
        path: request.url!,
        headers: { 'content-type': 'application/json' },
        body: new Uint8Array(Buffer.concat(pieces)),
      })
      most = Math.max(most, statements)
      response.writeHead(status).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, most: () => most }
}

/** The exit code of the command, and its summary. */
const runImport = (file: string, to: string): Promise<[code: number | null, out: string]> =>
  new Promise((resolve) => {
    const command = [join(ROOT, 'worker/local/launch.mjs'), 'tools/import/import.ts']
    const child = spawn('node', [...command, file, '--to', to], { cwd: folder })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => (out += piece.toString()))
    }
    child.on('close', (code) => resolve([code, out]))
  })

/** On the paid plan a request may send twenty times as many. */
it('imports every report with the 50 queries of the free plan, and again without storing any', async () => {
  const { file, reports } = await writeArchive()
  const settings = {
    ACCESS: 'open',
    LOG_REQUESTS: 'off',
    REPORT_TTL: '0',
    NODE_TTL: '0',
    MAX_QUERIES: '50',
  }
  const isolate = Isolate.start(program, { settings, mostQueries: 50 }, probeOf(service))
  const { server, most } = await listen(isolate)
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const summary = (stored: number, known: number): RegExp =>
    new RegExp(`read +${reports}\nstored +${stored}\nknown +${known}\nrefused +0\n`)
  expect(await runImport(file, to)).toEqual([0, expect.stringMatching(summary(reports, 0))])
  expect(most()).toBeLessThan(50)
  expect(await runImport(file, to)).toEqual([0, expect.stringMatching(summary(0, reports))])
  server.closeAllConnections()
  server.close()
  await isolate.end()
})
