/** Runs the service as `npm start` does, on a temporary database. */

import type { ServiceOptions } from '../worker/local/processes.ts'
import { startService, type Service } from '../worker/local/service.ts'
import { accepted, openClient, type Client } from './client.ts'
import { inFolder } from './folder.ts'
import { probeOf, type Probe } from './probe.ts'

export interface Bench {
  readonly client: Client
  /** Milliseconds from the start to the first answer. */
  readonly readyMilliseconds: number
  /** Runs a trigger; by default the hourly one, which counts closed hours. */
  readonly tick: Service['tick']
  /** Folder of its database. */
  readonly data: string
  /** Queries its database, if `probed` is set. */
  readonly probe: Probe
}

/** Runs the work on a fresh service, and always removes its process and files. */
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
      // The fleet's reports have fixed times, so retention must not delete them.
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

/** Bytes of all pages of the database, in its file or still in its log. */
async function sizeBy(client: Client): Promise<number> {
  const path = '/admin/v1/summary-stats'
  const stats = JSON.parse(accepted(await client.get(path), path).body.toString()) as Stats
  return stats.database_usage[0].bytes
}

interface Stats {
  readonly database_usage: readonly [{ readonly bytes: number }]
}
