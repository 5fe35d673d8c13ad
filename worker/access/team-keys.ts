/** The public keys of a Cloudflare Access team, as an isolate keeps and refreshes them. */

import { JWKSNoMatchingKey } from 'jose/errors'
import { createLocalJWKSet } from 'jose/jwks/local'
import type { JWTVerifyGetKey } from 'jose'
import { Unavailable } from '../lib/errors.ts'
import { log } from '../lib/log.ts'
import { HOUR, MINUTE } from '../lib/time.ts'

/** Fetches the text of an address. @throws Error where there is none, or none in time */
export type FetchText = (url: string) => Promise<string>

type KeySet = ReturnType<typeof createLocalJWKSet>

/** Cloudflare rotates keys every six weeks, and the old ones stay valid for one more. */
const KEYS_ARE_FRESH_FOR_MS = HOUR
/** However many unknown keys are presented at once, the set is fetched no more often. */
const BETWEEN_FETCHES_MS = MINUTE
/** Without any keys: a fetch may take this long, and requests that need the keys wait as long for it. */
const FIRST_FETCH_MS = 5000
const POLL_MS = 20

/**
 * Fetches keys when they are first needed, when they are an hour old, and when one is unknown.
 *
 * jose's `createRemoteJWKSet` is not used: in Workers every request that comes while keys are fetched
 * fetches them again, as it can't await another request's promise; and once they are old it refuses
 * everybody while they can't be fetched.
 */
export class TeamKeys {
  #keys: KeySet | null = null
  #fetched = -Infinity
  #tried = -Infinity
  #fetching = false

  constructor(
    private readonly issuer: string,
    private readonly fetchText: FetchText,
  ) {}

  /**
   * Finds the key that signed a token, for jose.
   *
   * @throws JWKSNoMatchingKey for a token that names no published key, Unavailable where there are no
   *   keys and they can't be fetched
   */
  at(now: number): JWTVerifyGetKey {
    return async (header, token) => {
      // Without an id jose would take any key of the algorithm.
      if (typeof header.kid !== 'string') throw new JWKSNoMatchingKey()
      const fresh = now - this.#fetched <= KEYS_ARE_FRESH_FOR_MS
      const keys = fresh && this.#keys ? this.#keys : await this.#refreshed(now)
      try {
        return await keys(header, token)
      } catch (error) {
        if (!(error instanceof JWKSNoMatchingKey)) throw error
        return await (
          await this.#refreshed(now)
        )(header, token)
      }
    }
  }

  /** The keys after a fetch, unless one was tried just now. Keys that were valid an hour ago still are. */
  async #refreshed(now: number): Promise<KeySet> {
    const pause = this.#keys === null ? FIRST_FETCH_MS : BETWEEN_FETCHES_MS
    if (now - this.#tried > pause) await this.#fetch(now)
    // Not by the other request's own promise, which is never settled if its client goes away.
    for (let waited = 0; this.#keys === null && this.#fetching && waited < FIRST_FETCH_MS;) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      waited += POLL_MS
    }
    if (this.#keys === null)
      throw new Unavailable("The keys of Cloudflare Access can't be fetched right now.")
    return this.#keys
  }

  async #fetch(now: number): Promise<void> {
    this.#tried = now
    this.#fetching = true
    try {
      const text = await this.fetchText(`${this.issuer}/cdn-cgi/access/certs`)
      this.#keys = createLocalJWKSet(JSON.parse(text) as Parameters<typeof createLocalJWKSet>[0])
      this.#fetched = now
    } catch (error) {
      log('error', {
        error: `The keys of Cloudflare Access can't be fetched from ${this.issuer}: ${String(error)}`,
      })
    } finally {
      this.#fetching = false
    }
  }
}
