/** The service as `npm start` starts it, on a database of its own that is gone afterwards. */

import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { startService } from '../worker/local/service.ts'
import { openClient, type Client } from './client.ts'

export interface Bench {
  readonly client: Client
  /** Milliseconds from nothing to the first answer. */
  readonly readyMilliseconds: number
  /** What the cron trigger does hourly, such as counting hours that are over. */
  readonly tick: () => Promise<void>
  /** What the service has stored, asked beside it. */
  readonly database: () => Promise<D1Database>
  /** Where a debugger listens; null where none was asked for. */
  readonly inspectorUrl: URL | null
}

/** Runs the work on a fresh service, and leaves neither a process nor a file, whatever happens. */
export async function onFreshService<Result>(
  work: (bench: Bench) => Promise<Result>,
  inspect = false,
): Promise<{ result: Result; databaseBytes: number }> {
  const data = await mkdtemp(join(tmpdir(), 'report-query-bench-'))
  // Miniflare stops workerd when this process ends, but knows nothing of the folder.
  const interrupted = (): never => {
    rmSync(data, { recursive: true, force: true })
    process.exit(130)
  }
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  try {
    const begun = performance.now()
    const service = await startService({
      root: process.cwd(),
      port: 0,
      host: '127.0.0.1',
      data,
      inspect,
      // The fleet's reports are of a fixed time, and what is measured is that they are there.
      settings: { ACCESS: 'open', REPORT_TTL: '0', NODE_TTL: '0' },
    })
    const client = openClient(`${service.url}/pdb`)
    let result: Result
    try {
      await client.get('/meta/v1/version')
      const readyMilliseconds = performance.now() - begun
      result = await work({
        client,
        readyMilliseconds,
        tick: service.tick,
        database: service.database,
        inspectorUrl: service.inspectorUrl,
      })
    } finally {
      client.close()
      await service.stop()
    }
    return { result, databaseBytes: await sizeOf(data) }
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
    await rm(data, { recursive: true, force: true })
  }
}

/** Bytes of all pages of the database, whether they stand in its file or still in its log. */
async function sizeOf(data: string): Promise<number> {
  const miniflare = new Miniflare({
    modules: true,
    script: 'export default {}',
    d1Databases: { DB: 'reports' },
    d1Persist: data,
  })
  try {
    const database = await miniflare.getD1Database('DB')
    const { meta } = await database.prepare('SELECT 1').all()
    return meta.size_after
  } finally {
    await miniflare.dispose()
  }
}
