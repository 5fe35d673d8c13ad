/** What the longest answer there is, all reports whole, takes: time, and memory of the Worker, for a fast client and a slow one. */

import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fleetCommands } from '../worker/local/fleet/fleet.ts'
import type { Client } from './client.ts'
import { openHeap, type Heap } from './heap.ts'
import { load } from './load.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { onFreshService } from './service.ts'
import { streamEverything } from './stream.ts'
import { printTable, writeJson } from './table.ts'

const LOADERS = 4
const BETWEEN_SAMPLES_MS = 5
const MEGABYTE = 1e6

const options = readOptions(
  { nodes: 1000, runs: 20, seed: 1, slow: 10, json: null },
  'bench:streaming -- [--nodes 1000] [--runs 20] [--seed 1] [--slow SECONDS] [--json FILE]',
)

interface Watched<Result> {
  readonly result: Result
  readonly samples: number
  readonly peakBytes: number
}

/** Does the work, and looks at the heap all the while. */
async function watching<Result>(heap: Heap, work: Promise<Result>): Promise<Watched<Result>> {
  let working = true
  const done = work.finally(() => (working = false))
  let samples = 0
  let peakBytes = 0
  while (working) {
    peakBytes = Math.max(peakBytes, await heap.used())
    samples++
    await sleep(BETWEEN_SAMPLES_MS)
  }
  return { result: await done, samples, peakBytes }
}

/** Takes a megabyte a second for a while, and goes. */
function streamSlowly({ base }: Client, seconds: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    const sent = request(`${base}/query/v4/reports`, (response) => {
      const ticking = setInterval(() => response.resume(), 1000)
      response.on('data', (piece: Buffer) => {
        bytes += piece.length
        if (bytes % MEGABYTE < piece.length) response.pause()
      })
      setTimeout(() => {
        clearInterval(ticking)
        sent.destroy()
        resolve(bytes)
      }, seconds * 1000)
    })
    sent.on('error', (error) => {
      if (!sent.destroyed) reject(error)
    })
    sent.end()
  })
}

const { result } = await onFreshService(async ({ client, inspectorUrl }) => {
  const total = options.nodes * options.runs
  await load(client, fleetCommands(options), { clients: LOADERS, total })
  await streamEverything(client)
  // The debugger costs time, so times are taken before it looks.
  const timed = await streamEverything(client)
  const heap = await openHeap(inspectorUrl!)
  try {
    const atRest = await heap.used()
    tell('all reports, as fast as they come')
    const fast = await watching(heap, streamEverything(client))
    tell(`all reports, a megabyte a second, for ${options.slow} s`)
    const slow = await watching(heap, streamSlowly(client, options.slow))
    return { timed, atRest, fast, slow }
  } finally {
    heap.close()
  }
}, true)

const { timed, atRest, fast, slow } = result
const megabytes = (bytes: number): number => bytes / MEGABYTE
console.log(
  `${options.nodes * options.runs} reports whole: ${megabytes(timed.bytes).toFixed(1)} MB, first byte after ${timed.firstByteMilliseconds.toFixed(1)} ms, last after ${(timed.milliseconds / 1000).toFixed(2)} s\n`,
)
printTable(
  ['client', 'MB taken', 'heap MB at rest', 'heap MB at its peak', 'samples'],
  [
    [
      'fast',
      megabytes(fast.result.bytes),
      megabytes(atRest),
      megabytes(fast.peakBytes),
      fast.samples,
    ],
    ['slow', megabytes(slow.result), megabytes(atRest), megabytes(slow.peakBytes), slow.samples],
  ],
)
await writeJson(options.json, { options, timed, atRest, fast, slow })
