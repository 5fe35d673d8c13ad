/** `npm start`: the whole service on this machine, ready to be asked. */

import { fileURLToPath } from 'node:url'
import { dirname, resolve } from 'node:path'
import { HELP, readOptions, StartError, type StartOptions } from './options.ts'
import { requireFreePort, takeFolder } from './preconditions.ts'
import { loadSample } from './sample.ts'
import { startService, type Service } from './service.ts'

/** Where this program's bundle stands below the project: node_modules/.cache/report-query-service. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')

async function start(options: StartOptions): Promise<void> {
  const began = performance.now()
  await requireFreePort(options.host, options.port)
  const giveBack = await takeFolder(options.data)
  let service: Service
  try {
    service = await startService({ root, ...options })
  } catch (error) {
    await giveBack()
    throw error
  }
  stopOnSignals(async () => {
    await service.stop()
    await giveBack()
  })
  const sample = !options.empty && (await isEmpty(service.url))
  if (sample) await loadSample(service.url, showProgress)
  keepHouse(service)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(banner(service.url, options, seconds, sample))
}

const BETWEEN_TICKS_MS = 10 * 60_000

/** What a deployed Worker's cron trigger does, at once and then every ten minutes. */
function keepHouse({ tick }: Service): void {
  const once = (): void =>
    void tick().catch((error: unknown) => console.error(`housekeeping failed: ${String(error)}`))
  once()
  setInterval(once, BETWEEN_TICKS_MS).unref()
}

async function isEmpty(url: string): Promise<boolean> {
  const response = await fetch(`${url}/query/v4/reports?limit=1&query=["extract","hash"]`)
  const rows = await response.json<unknown[]>()
  return rows.length === 0
}

function showProgress(done: number, total: number): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(`\rputting in a sample fleet: ${done} of ${total} reports`)
  if (done === total) process.stderr.write('\r\x1b[K')
}

function banner(
  url: string,
  { host, data }: StartOptions,
  seconds: string,
  sample: boolean,
): string {
  const loopback = ['127.0.0.1', 'localhost', '::1'].includes(host)
  return `report query service listening on ${url} (after ${seconds} s)
${loopback ? 'Open to everyone on this machine, and to nobody else.' : 'WARNING: open to everyone who can reach this address.'}
The database is in ${data}${sample ? ', with a sample fleet of 12 nodes' : ''}. Ctrl+C stops.

What failed last, on which node:
  curl -G ${url}/query/v4 --data-urlencode 'query=reports[certname, end_time] { status = "failed" order by end_time desc limit 5 }'
How the fleet stands:
  curl -G ${url}/query/v4/event-counts -d summarize_by=certname --data-urlencode 'query=["=","latest_report?",true]'
All nodes:
  curl '${url}/query/v4/nodes?pretty=true'`
}

/** Miniflare has put handlers of its own, which end the process before anything can be tidied up. */
function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false
  const onSignal = (): void => {
    if (stopping) return
    stopping = true
    void stop().then(() => {
      console.log('stopped')
      process.exit(0)
    })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.removeAllListeners(signal)
    process.on(signal, onSignal)
  }
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === null) console.log(HELP)
  else await start(options)
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
