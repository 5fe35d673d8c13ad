/** The service as `npm start` starts it, on a database of its own that is gone afterwards. */

import { startService, type ServiceOptions } from '../worker/local/service.ts'
import { accepted, openClient, type Client } from './client.ts'
import { inFolder } from './folder.ts'
import { probeOf, type Probe } from './probe.ts'

export interface Bench {
  readonly client: Client
  /** Milliseconds from nothing to the first answer. */
  readonly readyMilliseconds: number
  /** What the cron trigger does hourly, such as counting hours that are over. */
  readonly tick: () => Promise<void>
  /** Folder of its database. */
  readonly data: string
  /** Asks its database, where `probed` is set. */
  readonly probe: Probe
}

/** Runs the work on a fresh service, and leaves neither a process nor a file, whatever happens. */
export const onFreshService = <Result>(
  work: (bench: Bench) => Promise<Result>,
  more: Pick<ServiceOptions, 'probed'> = {},
): Promise<{ result: Result; databaseBytes: number }> =>
  inFolder('bench', async (data) => {
    const begun = performance.now()
    const service = await startService({
      root: process.cwd(),
      port: 0,
      host: '127.0.0.1',
      data,
      ...more,
      // The fleet's reports are of a fixed time, and what is measured is that they are there.
      settings: { ACCESS: 'open', REPORT_TTL: '0', NODE_TTL: '0' },
    })
    const client = openClient(`${service.url}/pdb`)
    try {
      await client.get('/meta/v1/version')
      const readyMilliseconds = performance.now() - begun
      const { tick } = service
      const probe = probeOf(service)
      const result = await work({ client, readyMilliseconds, tick, data, probe })
      return { result, databaseBytes: await sizeBy(client) }
    } finally {
      client.close()
      await service.stop()
    }
  })

/** Bytes of all pages of the database, whether they stand in its file or still in its log. */
async function sizeBy(client: Client): Promise<number> {
  const path = '/admin/v1/summary-stats'
  const stats = JSON.parse(accepted(await client.get(path), path).body.toString()) as Stats
  return stats.database_usage[0].bytes
}

interface Stats {
  readonly database_usage: readonly [{ readonly bytes: number }]
}
