// What a target replied to a request that was passed on to it.
import type { Content } from './content.js'

/** The reply of a target, or why there is none: then `status` is 502 or 504 and `error` says it. */
export interface Reply extends Content {
  readonly url: string
  readonly status: number
  /** Bytes beyond the limit were left out. */
  readonly truncated: boolean
  readonly error: string | null
  /** Milliseconds from the first byte sent to the last one received. */
  readonly elapsed: number
}
