/** Runs a program of the Worker's own code in an isolate with a limited heap, which V8 ends where that is not enough. */

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { buildProgram } from '../../../bench/program.ts'

/** What an isolate of Workers has. */
export const ISOLATE_MB = 128
/** The young generation has three semi-spaces of whole megabytes. */
const YOUNG_MB = 6

export async function buildIn(folder: string, entry: string): Promise<string> {
  const program = join(folder, 'isolate.mjs')
  await buildProgram(entry, program)
  return program
}

/** What the program posts; null where V8 ended it for its heap. */
export function runWithin<Answer>(
  program: string,
  data: unknown,
  limitMB = ISOLATE_MB,
): Promise<Answer | null> {
  const worker = new Worker(program, {
    workerData: data,
    // The log of the service is not the test's.
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: limitMB - YOUNG_MB,
      maxYoungGenerationSizeMb: YOUNG_MB,
    },
  })
  return new Promise((resolve, reject) => {
    worker.on('message', (answer: Answer) => {
      resolve(answer)
      void worker.terminate()
    })
    worker.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve(null) : reject(error),
    )
    // Has no effect after another event has settled the promise.
    worker.on('exit', (code) => reject(new Error(`The isolate ended with ${code}.`)))
  })
}
