/** `npm start` as a process of its own, as users have it, for the time of some work. */

import { npmStart, type Started } from '../../test/local/npm-start.ts'
import { inFolder } from '../folder.ts'

/** The fleet's reports are of a fixed time, and what is measured is that they are there. */
const SETTINGS = { ACCESS: 'open', REPORT_TTL: '0', NODE_TTL: '0', LOG_REQUESTS: 'off' }

export interface Process {
  readonly url: string
  /** From before it was started until it said that it listens. */
  readonly readyMilliseconds: number
  readonly started: Started
}

/** @param words options of `npm start` beside those for port and data */
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
