/** Limits how many commands about a node are admitted in a time. */

import type { Principal } from '../../access/principal.ts'
import { TooMany } from '../../lib/errors.ts'
import { log } from '../../lib/log.ts'

/** The limiter's period (wrangler.toml). Agents sleep this long, and give up a request after 30 s. */
const PERIOD_SECONDS = 10

/** Admits a command about a node. @throws TooMany if the operator's limit is reached */
export type Admit = (certname: string) => Promise<void>

/** Admits as many commands about a node as the limiter allows. */
const admitBy =
  (limiter: RateLimit | undefined): Admit =>
  async (certname) => {
    if (limiter === undefined || (await hasRoom(limiter, certname))) return
    throw new TooMany(
      `Too many commands for the node '${certname}' within ten seconds. Nothing was stored; try again later.`,
      PERIOD_SECONDS,
    )
  }

/** If the limiter fails, every command is admitted: a refused report would be lost. */
async function hasRoom(limiter: RateLimit, certname: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key: certname })).success
  } catch (error) {
    log('warn', { rate_limit: String(error), certname })
    return true
  }
}

/** For administrators, who send an archive in one request, or many reports of one node at once. */
export const admitAll: Admit = () => Promise.resolve()

/** No limit slows down an administrator with credentials. */
export const admitFrom = (principal: Principal, limiter: RateLimit | undefined): Admit =>
  principal.kind !== 'anyone' && principal.scopes.has('admin') ? admitAll : admitBy(limiter)
