/** Runs `npm start` as a separate process, as users do, while some work is done. */

import { npmStart, type Started } from '../../test/local/npm-start.ts'
import { inFolder } from '../folder.ts'

/** The fleet's reports have fixed times, so retention must not delete them. */
const SETTINGS = { ACCESS: 'open', REPORT_TTL: '0', NODE_TTL: '0', LOG_REQUESTS: 'off' }

export interface Process {
  readonly url: string
  /** Milliseconds from before the start to the message that it listens. */
  readonly readyMilliseconds: number
  readonly started: Started
}

/** @param words options of `npm start` other than port and data */
export const onNpmStart = <Result>(
  words: readonly string[],
  work: (process: Process) => Promise<Result>,
): Promise<Result> =>
  inFolder('host', async (data) => {
    const begun = performance.now()
    const started = npmStart(['--port', '0', '--data', data, '--empty', ...words], {
      root: process.cwd(),
      environment: SETTINGS,
    })
    try {
      const url = await started.ready
      return await work({ url, readyMilliseconds: performance.now() - begun, started })
    } finally {
      await started.stop('SIGTERM')
    }
  })
