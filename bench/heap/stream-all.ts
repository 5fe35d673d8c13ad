/** Runs in an isolate with a limited heap: the Worker's own code answers all reports whole; D1 is queried outside. */

import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import '../newer-node.ts'
import { app } from '../../worker/app.ts'
import { bindingOf, OPEN } from '../binding.ts'

/** The answer to one statement in D1's form: columns once, rows as arrays. */
export interface Answered {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly meta: unknown
}

/** How fast a client reads the answer; null for no limit. */
export interface Streaming {
  readonly bytesPerSecond: number | null
  readonly seconds: number | null
}

export interface Outcome {
  readonly bytes: number
  /** Peak of V8's used heap when a piece was read, garbage included. */
  readonly peakBytes: number
}

const outside = parentPort!
const waiting: ((text: string) => void)[] = []
outside.on('message', (text: string) => waiting.shift()!(text))

/** Holds the text and the objects at once, as the platform's own binding does for a moment. */
const database = bindingOf(async (statements) => {
  const answer = new Promise<string>((resolve) => waiting.push(resolve))
  outside.postMessage({ statements })
  const answered = JSON.parse(await answer) as readonly Answered[]
  return answered.map(({ columns, rows, meta }) => ({
    success: true,
    meta,
    results: rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]]))),
  }))
})

const response = await app.fetch(new Request('http://127.0.0.1/pdb/query/v4/reports'), {
  ...OPEN,
  DB: database,
})
if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
const { bytesPerSecond, seconds } = workerData as Streaming
const begun = performance.now()
let bytes = 0
let peakBytes = 0
for await (const piece of response.body! as AsyncIterable<Uint8Array>) {
  bytes += piece.length
  peakBytes = Math.max(peakBytes, getHeapStatistics().used_heap_size)
  const elapsed = performance.now() - begun
  if (seconds !== null && elapsed > seconds * 1000) break
  if (bytesPerSecond !== null) await sleep((bytes / bytesPerSecond) * 1000 - elapsed)
}
outside.postMessage({ outcome: { bytes, peakBytes } satisfies Outcome })
outside.close()
