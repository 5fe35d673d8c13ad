/** Measures services side by side, each with an environment of its own: storing and answering of one, and of all at once. */

import { join } from 'node:path'
import { startService, type Service } from '../worker/local/service.ts'
import { accepted, openClient, queryPath, type Client } from './client.ts'
import { commandsOf } from './commands.ts'
import { inFolder } from './folder.ts'
import { memoryOfTree } from './host/usage.ts'
import { load } from './load.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { median } from './statistics.ts'
import { printTable, writeJson } from './table.ts'

const options = readOptions(
  { services: 5, nodes: 400, runs: 4, seed: 1, samples: 20, clients: 2, json: null },
  'bench:several -- [--services 5] [--nodes 400] [--runs 4] [--seed 1] [--samples 20] [--clients 2] [--json FILE]',
)

const ASKED: readonly (readonly [name: string, path: string])[] = [
  ['Fleet', '/console?since=all'],
  ['Causes', '/console/causes?since=all'],
  ['latest reports, whole, 100', `/pdb${queryPath('reports', { limit: '100' })}`],
  [
    'reports counted by status',
    `/pdb${queryPath('reports', { query: '["extract",["status",["function","count"]],["group_by","status"]]' })}`,
  ],
]

interface Opened {
  readonly client: Client
  readonly store: Client
  /** Of its fleet. */
  readonly seed: number
}

/** Reports stored per second by all of these services together. */
async function storedPerSecond(some: readonly Opened[], firstRun: number): Promise<number> {
  const { nodes, runs, clients } = options
  const begun = performance.now()
  await Promise.all(
    some.map(({ store, seed }) =>
      load(store, commandsOf(null, { nodes, runs, seed, firstRun }), {
        clients,
        total: nodes * runs,
      }),
    ),
  )
  return (some.length * nodes * runs) / ((performance.now() - begun) / 1000)
}

/** The median of an answer, in ms, where each of these services is asked by one client. */
async function answeredIn(some: readonly Opened[], path: string): Promise<number> {
  const times: number[] = []
  await Promise.all(
    some.map(async ({ client }) => {
      for (let sample = 0; sample < options.samples; sample++) {
        const begun = performance.now()
        accepted(await client.get(path), path)
        times.push(performance.now() - begun)
      }
    }),
  )
  return median(times)
}

await inFolder('bench', async (folder) => {
  const settings = { ACCESS: 'open', REPORT_TTL: '0', NODE_TTL: '0', LOG_REQUESTS: 'off' }
  const services: Service[] = []
  const all: Opened[] = []
  try {
    for (let place = 0; place < options.services; place++) {
      const service = await startService({
        ...{ root: process.cwd(), port: 0, host: '127.0.0.1', settings },
        data: join(folder, String(place)),
      })
      services.push(service)
      const [client, store] = [openClient(service.url), openClient(`${service.url}/pdb`)]
      all.push({ client, store, seed: options.seed + place })
    }
    const one = all.slice(0, 1)
    tell('storing: all at once, then one')
    const stored = [await storedPerSecond(all, 0), await storedPerSecond(one, options.runs)]
    const rows: [string, number, number][] = [['reports stored per second', stored[1]!, stored[0]!]]
    for (const [name, path] of ASKED) {
      tell(name)
      await answeredIn(all, path)
      rows.push([`${name}, ms`, await answeredIn(one, path), await answeredIn(all, path)])
    }
    printTable(['', 'one service', `${all.length} at once`], rows)
    const { proportional } = memoryOfTree(process.pid)
    tell(`memory of all processes: ${(proportional / 1e6).toFixed(0)} MB`)
    await writeJson(options.json, { options, rows, proportional })
  } finally {
    for (const { client, store } of all) {
      client.close()
      store.close()
    }
    await Promise.all(services.map((service) => service.stop()))
  }
})
