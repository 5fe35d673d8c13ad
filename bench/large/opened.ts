/** Services over databases that are kept as they are, to compare what the same request costs of each. */

import { app } from '../../worker/app.ts'
import { startService, type Service } from '../../worker/local/service.ts'
import { bindingOf, OPEN } from '../binding.ts'
import { accepted, openClient, type Client } from '../client.ts'
import { probeOf } from '../probe.ts'
import { median } from '../statistics.ts'

/** Requests to one service before the other gets its turn. */
const TURN = 10
const KEEP_ALL = {
  REPORT_TTL: '0',
  NODE_TTL: '0',
  NODE_PURGE_TTL: '0',
  LOGS_AND_METRICS_TTL: '0',
  HISTORY_MODE: 'off',
}

export interface Opened {
  readonly service: Service
  readonly client: Client
}

export const open = async (
  data: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Opened> => {
  const service = await startService({
    root: process.cwd(),
    port: 0,
    host: '127.0.0.1',
    data,
    probed: true,
    settings: { ACCESS: 'open', LOG_REQUESTS: 'off', ...KEEP_ALL, ...settings },
  })
  return { service, client: openClient(service.url) }
}

export async function close({ service, client }: Opened): Promise<void> {
  client.close()
  await service.stop()
}

/** Rows that D1 counts as read for an answer: by the Worker's code over the database of the service. */
export async function rowsRead(path: string, { service }: Opened): Promise<number> {
  const probe = probeOf(service)
  let rows = 0
  const binding = bindingOf(async (statements) => {
    const answers = await probe(statements)
    for (const { meta } of answers) rows += meta.rows_read
    return answers
  })
  const response = await app.fetch(new Request(`http://127.0.0.1${path}`), { ...OPEN, DB: binding })
  await response.text()
  return rows
}

/** The medians of so many requests, in ms, in the order of the services. */
export async function timesOf(
  path: string,
  servers: readonly Opened[],
  samples: number,
): Promise<number[]> {
  const times = servers.map((): number[] => [])
  for (let done = -TURN; done < samples; done += TURN) {
    for (const [index, { client }] of servers.entries()) {
      for (let sample = 0; sample < TURN; sample++) {
        const answer = accepted(await client.get(path), path)
        if (done >= 0) times[index]!.push(answer.milliseconds)
      }
    }
  }
  return times.map(median)
}
