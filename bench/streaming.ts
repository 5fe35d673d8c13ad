/** Measures the longest answer, all reports whole: its time, and the smallest heap in which the Worker can make it. */

import { fleetCommands } from '../tools/fleet/fleet.ts'
import { streamWithin } from './heap/limited.ts'
import type { Outcome, Streaming } from './heap/stream-all.ts'
import { load } from './load.ts'
import type { Probe } from './probe.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { onFreshService } from './service.ts'
import { reportsStreamed, streamEverything } from './stream.ts'
import { printTable, writeJson } from './table.ts'

const LOADERS = 4
const MEGABYTE = 1e6

const options = readOptions(
  { nodes: 1000, runs: 20, seed: 1, slow: 10, limits: [40, 32, 24, 20, 16, 12], json: null },
  'bench:streaming -- [--nodes 1000] [--runs 20] [--seed 1] [--slow SECONDS] [--limits MB,MB] [--json FILE]',
)
const total = options.nodes * options.runs
const { limits } = options

interface Limited {
  readonly client: string
  readonly limitMB: number
  /** Null if the isolate's heap was too small. */
  readonly outcome: Outcome | null
}

/** Reads as fast as it can. */
const FAST: Streaming = { bytesPerSecond: null, seconds: null }
/** Reads a megabyte per second for a while, then disconnects. */
const SLOW: Streaming = { bytesPerSecond: MEGABYTE, seconds: options.slow }

/** Tries smaller and smaller heaps, until one is too small. */
async function withinLimits(client: string, streaming: Streaming, probe: Probe) {
  const tried: Limited[] = []
  for (const limitMB of limits) {
    tell(`all reports, ${client} client, in a heap of ${limitMB} MB`)
    const outcome = await streamWithin(limitMB, streaming, probe)
    tried.push({ client, limitMB, outcome })
    if (outcome === null) break
  }
  return tried
}

const { result } = await onFreshService(
  async ({ client, probe }) => {
    await load(client, fleetCommands(options), { clients: LOADERS, total })
    const reports = await reportsStreamed(client)
    if (reports !== total) throw new Error(`${reports} reports came instead of ${total}.`)
    const timed = await streamEverything(client)
    const fast = await withinLimits('fast', FAST, probe)
    for (const { outcome } of fast) {
      if (outcome !== null && outcome.bytes !== timed.bytes) {
        throw new Error(`${outcome.bytes} bytes came instead of ${timed.bytes}.`)
      }
    }
    return { timed, limited: [...fast, ...(await withinLimits('slow', SLOW, probe))] }
  },
  { probed: true },
)

const { timed, limited } = result
const megabytes = (bytes: number): number => bytes / MEGABYTE
console.log(
  `${total} reports whole: ${megabytes(timed.bytes).toFixed(1)} MB, first byte after ${timed.firstByteMilliseconds.toFixed(1)} ms, last after ${(timed.milliseconds / 1000).toFixed(2)} s`,
)
console.log('\nThe same by the same code in an isolate whose heap V8 keeps within a limit\n')
printTable(
  ['client', 'limit MB', '', 'MB taken', 'heap MB at its peak'],
  limited.map(({ client, limitMB, outcome }) => [
    client,
    limitMB,
    outcome ? 'sent' : 'OUT OF MEMORY',
    outcome && megabytes(outcome.bytes),
    outcome && megabytes(outcome.peakBytes),
  ]),
)
await writeJson(options.json, { options, timed, limited })
