/** What a message says, whatever its format. */

import type { Timestamp } from '../lib/time.ts'

/** What a message says, before it is put into a format. */
export interface MessageContent {
  /** `node.failed`, `service.database-full`, `test`. */
  readonly type: string
  readonly timestamp: Timestamp
  /** What happened, in one sentence. */
  readonly title: string
  /** Why, each a sentence or the line of an error. */
  readonly lines: readonly string[]
  readonly link: {
    readonly name: string
    readonly url: string
    /** The cause or node that the page is about: mails about the same one are a conversation. Null for others. */
    readonly topic: string | null
  }
  readonly hook: string
  readonly mood: 'bad' | 'good' | 'warning'
  readonly data: object
}
