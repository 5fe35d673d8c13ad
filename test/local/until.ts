/** Waits for states. Time decides nothing: the one limit is the test's own time-out. */

import { setTimeout as sleep } from 'node:timers/promises'
import { TestRunner } from 'vitest'

const EVERY_MS = 5

/**
 * Looks again and again, until `look` throws nothing. A test that times out meanwhile says what `look` threw last.
 *
 * @returns what `look` returned
 */
export async function until<State>(look: () => State | Promise<State>): Promise<State> {
  const signal = TestRunner.getCurrentTest()?.context.signal
  if (signal === undefined) throw new Error('Only a test waits: a hook has no time-out to obey.')
  let last: unknown = 'its first look'
  const tell = (): void => {
    ;(signal.reason as Error).message += `\nIt waited for: ${String(last)}`
  }
  signal.addEventListener('abort', tell)
  try {
    for (;;) {
      try {
        return await look()
      } catch (error) {
        if (signal.aborted) throw error
        last = error
      }
      await sleep(EVERY_MS)
    }
  } finally {
    signal.removeEventListener('abort', tell)
  }
}
