// What a target replied to a request that was passed on to it.
import type { Pair } from './content.js'

/** The reply of a target, or why there is none: then `status` is 502 or 504 and `error` says it. */
export interface Reply {
  readonly url: string
  readonly status: number
  readonly headers: readonly Pair[]
  readonly bytes: Buffer
  /** Bytes beyond the limit were left out. */
  readonly truncated: boolean
  readonly error: string | null
  /** Milliseconds from the first byte sent to the last one received. */
  readonly elapsed: number
}
