/** The processes of workerd that answer, as the ports see them. */

import type { LateAnswers } from '../late-answers.ts'
import type { GatheredBodies } from './gathered-bodies.ts'
import type { ReaderPool } from './reader-pool.ts'
import type { Timeouts } from './routing.ts'
import type { Supervisor } from './supervisor.ts'

/** Until the next try, where the runtime has died and the launcher does not know it yet. */
export const PAUSE_MS = 20
/** The longest head of a request, as workerd has it, and of an answer. */
export const LONGEST_HEAD = 128 * 1024

/** The processes that answer. */
export interface Runtimes {
  /** Path of the socket of the process that writes. */
  readonly writer: string
  readonly supervisor: Supervisor
  /** Path of the socket of a reader. */
  readonly readerSocket: (reader: number) => string
  readonly readers: ReaderPool
  readonly timeouts: Timeouts
  readonly bodies: GatheredBodies
  readonly late: LateAnswers
}
