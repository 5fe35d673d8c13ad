/** The three kinds of wrong: the asker's (400, 404, …), the platform's (503) and ours (500, see invariant.ts). */

/** The asker's query or parameter is wrong; the message is what they read. Answered 400 as plain text. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

/** The asker's command or its payload is wrong; the message names path and value. Answered 400 as JSON. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** A known route was asked about something nobody has told us of. Answered 404 as JSON. */
export class NotFound extends Error {
  override readonly name = 'NotFound'
  constructor(
    readonly thing: string,
    readonly id: string,
  ) {
    super(`No information is known about ${thing} ${id}`)
  }
}

/** The request itself can't be taken: its media type, encoding or size, or it broke off. Answered with `status` as plain text. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(
    readonly status: 400 | 406 | 413 | 415,
    message: string,
  ) {
    super(message)
  }
}

/** Whoever asks may not. `challenge` is what `WWW-Authenticate` says of it. Answered with `status` as plain text. */
export class Denied extends Error {
  override readonly name = 'Denied'
  constructor(
    readonly status: 401 | 403,
    message: string,
    readonly challenge: string | null = null,
  ) {
    super(message)
  }
}

/** Whoever asks does it too often. Answered 429 with Retry-After. */
export class TooMany extends Error {
  override readonly name = 'TooMany'
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message)
  }
}

/** The database is down, overloaded or not ready, and nothing was stored. Answered 503 with Retry-After. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  /**
   * Puppet's client sleeps so long and asks again, and the terminus that it does so for gives up on a
   * server after 30 s (`server_url_timeout`), on one of `submit_only_server_urls` for good at the second
   * time in a row: the time must fit into that several times, or nothing is ever asked again.
   */
  readonly retryAfterSeconds = 5
}
