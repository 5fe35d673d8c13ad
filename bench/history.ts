/** Measures writing history: CPU and memory of the runtime, and bytes, for one day of a generated fleet. */

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY } from '../worker/lib/time.ts'
import { startService } from '../worker/local/service.ts'
import { openClient } from './client.ts'
import { commandsOf } from './commands.ts'
import { inFolder } from './folder.ts'
import { load } from './load.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { printTable } from './table.ts'

const options = readOptions(
  { nodes: 300, runs: 46, seed: 1, clients: 4 },
  'bench:history -- [--nodes 300] [--runs 46] [--seed 1] [--clients 4]',
)
/** The day of the generated runs, and when it may be archived. */
const ARCHIVED_AT = new Date(Date.UTC(2026, 2, 2) + 3 * DAY)
/** What Linux counts CPU time in. */
const TICKS_PER_SECOND = 100

await inFolder('bench', async (data) => {
  const service = await startService({
    root: process.cwd(),
    port: 0,
    host: '127.0.0.1',
    data,
    settings: { ACCESS: 'open', REPORT_TTL: '0', NODE_TTL: '0', HISTORY_MODE: 'off' },
  })
  const client = openClient(`${service.url}/pdb`)
  const fleet = { nodes: options.nodes, runs: options.runs, seed: options.seed }
  const total = options.nodes * options.runs
  await load(client, commandsOf(null, fleet), { clients: options.clients, total, live: false })
  await service.tick(undefined, ARCHIVED_AT)
  client.close()
  await service.stop()

  const archiving = await startService({
    root: process.cwd(),
    port: 0,
    host: '127.0.0.1',
    data,
    settings: { ACCESS: 'open', REPORT_TTL: '0', NODE_TTL: '0' },
  })
  const pid = archiving.runtimePid()!
  const before = { cpu: await cpuSeconds(pid), peak: await peakBytes(pid) }
  const begun = performance.now()
  await archiving.tick(undefined, ARCHIVED_AT)
  const seconds = (performance.now() - begun) / 1000
  const after = { cpu: await cpuSeconds(pid), peak: await peakBytes(pid) }
  await archiving.stop()

  const bytes = await bytesByTable(join(data, 'history'))
  const sum = [...bytes.values()].reduce((all, one) => all + one, 0)
  tell(`${total} reports of ${options.nodes} nodes, ${seconds.toFixed(1)} s\n`)
  printTable(
    ['of 1,000 reports', ''],
    [
      [
        'CPU of the runtime, with SQLite, ms',
        (((after.cpu - before.cpu) * 1e6) / total).toFixed(0),
      ],
      ...[...bytes].map(([table, one]): [string, string] => [
        `${table}, bytes a report`,
        (one / total).toFixed(1),
      ]),
      ['all, bytes a report', (sum / total).toFixed(1)],
      ['peak of its memory before, MB', (before.peak / 1e6).toFixed(0)],
      ['peak of its memory after, MB', (after.peak / 1e6).toFixed(0)],
    ],
  )
})

/** CPU that a process has used. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024
}

/** Bytes of the files of each table. */
async function bytesByTable(folder: string): Promise<Map<string, number>> {
  const bytes = new Map<string, number>()
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.parquet')) continue
    const table = name.split('/')[0]!
    bytes.set(table, (bytes.get(table) ?? 0) + (await stat(join(folder, name))).size)
  }
  return bytes
}
