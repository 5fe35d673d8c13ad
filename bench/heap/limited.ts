/** Answers all reports whole in an isolate with a limited heap, which V8 ends if the heap is too small. */

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Statement } from '../../worker/sql/statement.ts'
import { inFolder } from '../folder.ts'
import type { Probe } from '../probe.ts'
import { buildProgram } from '../program.ts'
import type { Answered, Outcome, Streaming } from './stream-all.ts'

type Message = { readonly statements: readonly Statement[] } | { readonly outcome: Outcome }

/** The young generation has three semi-spaces of whole megabytes. */
const YOUNG_MB = 6

/**
 * The isolate's figures; null if V8 ended it because its heap was full.
 *
 * @param limitMB of young and old objects together, including code and Node's own objects
 */
export const streamWithin = (
  limitMB: number,
  streaming: Streaming,
  probe: Probe,
): Promise<Outcome | null> =>
  inFolder('heap', async (folder) => {
    const program = join(folder, 'stream-all.mjs')
    await buildProgram('bench/heap/stream-all.ts', program)
    return outcomeOf(program, limitMB, streaming, probe)
  })

function outcomeOf(
  program: string,
  limitMB: number,
  streaming: Streaming,
  probe: Probe,
): Promise<Outcome | null> {
  const worker = new Worker(program, {
    workerData: streaming,
    resourceLimits: {
      maxOldGenerationSizeMb: limitMB - YOUNG_MB,
      maxYoungGenerationSizeMb: YOUNG_MB,
    },
  })
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Message) => {
      if ('outcome' in message) resolve(message.outcome)
      else answered(probe, message.statements).then((text) => worker.postMessage(text), reject)
    })
    worker.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve(null) : reject(error),
    )
    // Has no effect after another event has settled the promise.
    worker.on('exit', (code) =>
      reject(new Error(`The isolate ended with ${code}, and no outcome.`)),
    )
  })
}

/** As D1 sends it: columns once, rows as arrays. */
async function answered(probe: Probe, statements: readonly Statement[]): Promise<string> {
  const results = await probe(statements)
  return JSON.stringify(
    results.map(({ results: rows, meta }): Answered => {
      const columns = Object.keys((rows[0] as object | undefined) ?? {})
      return {
        columns,
        rows: rows.map((row) => Object.values(row as Record<string, unknown>)),
        meta,
      }
    }),
  )
}
