/** Measures the CPU time of the Worker's own code per stored report, per query of the eleven, and per page of the console. */

import './newer-node.ts'
import { app } from '../worker/app.ts'
import { fleetCommands } from '../tools/fleet/fleet.ts'
import { OPEN, bindingOf } from './binding.ts'
import { commandsOf } from './commands.ts'
import { pagesOf } from './console/pages.ts'
import { Meter } from './cpu/meter.ts'
import { REPORTS } from './cpu/reports.ts'
import { openClient } from './client.ts'
import { load } from './load.ts'
import { readOptions } from './options.ts'
import type { Probe } from './probe.ts'
import { tell } from './progress.ts'
import { questionsAbout } from './questions.ts'
import { onFreshService } from './service.ts'
import { median } from './statistics.ts'
import { printTable, writeJson } from './table.ts'

const LOADERS = 4
/** The limit of a request on the free plan, in ms. Source: Workers' limits. */
const FREE_PLAN_MS = 10

/** The node whose first run has events for the examples. */
const ALL_CHANGED = { unchanged: 0, changed: 1, failed: 0, noop: 0 }

const options = readOptions(
  { nodes: 250, runs: 12, seed: 1, samples: 30, json: null },
  'bench:cpu -- [--nodes 250] [--runs 12] [--samples 30] [--json FILE]',
)

interface Measured {
  readonly what: string
  /** The first request of its kind in an isolate, in ms. */
  readonly first: number
  readonly median: number
  /** The part that Node itself needs for the body and the response. */
  readonly platform: number
}

const { result } = await onFreshService(
  async ({ client, probe }) => {
    await load(client, commandsOf(null, options), {
      clients: LOADERS,
      total: options.nodes * options.runs,
      // The pages show the last days.
      live: true,
    })
    const root = openClient(client.base.replace(/\/pdb$/, ''))
    const measured: Measured[] = []
    try {
      for (const { name, path } of await questionsAbout(client))
        measured.push(await cpuOf(name, probe, () => get(path, 'application/json')))
      for (const { name, path } of await pagesOf(root))
        measured.push(await cpuOf(`page: ${name}`, probe, () => get(path, 'text/html')))
    } finally {
      root.close()
    }
    const [example] = fleetCommands({ ...options, mix: ALL_CHANGED })
    for (const { name, next } of REPORTS)
      measured.push(await cpuOf(`report: ${name}`, probe, (n) => post(next(example!, n))))
    return measured
  },
  { probed: true },
)

console.log(
  `CPU time of the Worker in ms, without its database, in Node ${process.versions.node}; medians of ${options.samples} requests\n`,
)
printTable(
  [
    'request',
    'the first',
    'median',
    "Node's part",
    'own code',
    `of the free plan's ${FREE_PLAN_MS} ms`,
  ],
  result.map(({ what, first, median, platform }) => [
    what,
    first,
    median,
    platform,
    median - platform,
    `${Math.round((100 * median) / FREE_PLAN_MS)} %`,
  ]),
)
await writeJson(options.json, { options, result })

function get(path: string, accept: string): Request {
  return new Request(`http://127.0.0.1${path}`, { headers: { accept } })
}

function post({ path, body }: { readonly path: string; readonly body: Buffer }): Request {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  return new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body })
}

/** @param requestOf makes the request with that number, which must be new to the service */
async function cpuOf(
  what: string,
  probe: Probe,
  requestOf: (n: number) => Request,
): Promise<Measured> {
  tell(what)
  const meter = new Meter()
  const binding = bindingOf((statements) => meter.without(() => probe(statements)))
  const environment = { ...OPEN, REPORT_TTL: '0', DB: binding }
  const [times, platform]: [number[], number[]] = [[], []]
  for (let n = 0; n < 2 * options.samples; n++) {
    const request = requestOf(n)
    const copy = requestOf(n)
    let [text, headers] = ['', new Headers()]
    const spent = await meter.time(async () => {
      const response = await app.fetch(request, environment)
      text = await response.text()
      headers = response.headers
      if (response.status >= 400) throw new Error(`${what}: ${response.status} ${text}`)
    })
    times.push(spent)
    platform.push(await meter.time(() => exchange(copy, text, headers)))
  }
  const later = (all: readonly number[]): number => median(all.slice(options.samples))
  return { what, first: times[0]!, median: later(times), platform: later(platform) }
}

/** Reads the same body and gives the same answer with Node's code only. */
async function exchange(request: Request, text: string, headers: Headers): Promise<void> {
  const reader = request.body?.getReader()
  while (reader && !(await reader.read()).done);
  await new Response(text, { headers }).text()
}
