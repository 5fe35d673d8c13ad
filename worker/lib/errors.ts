/** The three kinds of failures: the client's, the platform's, and ours (invariant.ts). http/respond.ts has the status of each. */

/** The query or a parameter is wrong; clients read the message. Answered as plain text. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

/** The command or its payload is wrong; the message names path and value. Answered as JSON. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** The path names something that is not stored. Answered as JSON. */
export class NotFound extends Error {
  override readonly name = 'NotFound'
  constructor(
    readonly thing: string,
    readonly id: string,
  ) {
    super(`No information is known about ${thing} ${id}`)
  }
}

/** Why a request is refused whatever it asks. */
export type Refusal = 'incomplete' | 'not acceptable' | 'too large' | 'unsupported media type'

/** The request itself is refused: for its media type, encoding or size, or because it broke off. Answered as plain text. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(
    readonly refusal: Refusal,
    message: string,
  ) {
    super(message)
  }
}

/** Who sent the request is unknown, or known and may not do this. */
export type Denial = 'unauthenticated' | 'forbidden'

/** The request lacks access. `challenge` is the value of `WWW-Authenticate`. Answered as plain text. */
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

/** The client sends too often. Answered with Retry-After. */
export class TooMany extends Error {
  override readonly name = 'TooMany'
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message)
  }
}

/** The database is down, overloaded or not ready, and nothing was stored. Answered with Retry-After. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  /**
   * Puppet's client sleeps so long and asks again, and the terminus that it does so for gives up on a
   * server after 30 s (`server_url_timeout`), on one of `submit_only_server_urls` for good at the second
   * time in a row: the time must fit into that several times, or nothing is ever asked again.
   */
  readonly retryAfterSeconds = 5
}
