/** Errors by their cause: the client, the platform, or our own bug (invariant.ts). http/respond.ts maps each to a status. */

/** The query or a parameter is wrong; clients read the message. The response is plain text. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

/** The command or its payload is wrong; the message names path and value. The response is JSON. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** The path names something that is not stored. The response is JSON. */
export class NotFound extends Error {
  override readonly name = 'NotFound'
  constructor(
    readonly kind: string,
    readonly id: string,
  ) {
    super(`No information is known about ${kind} ${id}`)
  }
}

/** Reasons to refuse a request before its content is read. */
export type Refusal = 'incomplete' | 'not acceptable' | 'too large' | 'unsupported media type'

/** The request itself is refused for its media type, encoding or size, or because it broke off. The response is plain text. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(
    readonly refusal: Refusal,
    message: string,
  ) {
    super(message)
  }
}

/** Why access is denied: the sender is unknown, or lacks the permission. */
export type Denial = 'unauthenticated' | 'forbidden'

/** The request lacks access. `challenge` is the value of `WWW-Authenticate`. The response is plain text. */
export class Denied extends Error {
  override readonly name = 'Denied'
  constructor(
    readonly denial: Denial,
    message: string,
    readonly challenge: string | null = null,
  ) {
    super(message)
  }
}

/** The client sends too often. The response has Retry-After. */
export class TooMany extends Error {
  override readonly name = 'TooMany'
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message)
  }
}

/**
 * Why the platform refuses: it is down or busy; a batch takes more time or memory than it gives one; the database is
 * full; or the Worker may send no more queries, in this request or today.
 */
export type Shortage = 'busy' | 'too much work' | 'full' | 'no queries left'

/** The database is down, overloaded, full or not ready, and nothing was stored. The response has Retry-After. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  /**
   * Seconds for Retry-After. Puppet's client sleeps this long and tries again, but the terminus gives up on a
   * server after 30 s (`server_url_timeout`), and drops a server of `submit_only_server_urls` after two failures
   * in a row. So several waits must fit into 30 s.
   */
  readonly retryAfterSeconds = 5
  constructor(
    message: string,
    readonly shortage: Shortage = 'busy',
  ) {
    super(message)
  }
}
