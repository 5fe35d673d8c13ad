// What programs in any language ask of a running catcher: requests, waiting, and rules.
import type { ServerResponse } from 'node:http'
import type { Catcher } from '../catcher.js'
import { missOf, parseMatch } from '../conditions.js'
import { refuse, suggestion } from '../errors.js'
import { recordLine } from '../record.js'
import type { Rule } from '../rules.js'
import { parseDuration, wholeNumber } from '../values.js'
import { WaitTimeoutError } from '../inbox.js'

/** A refusal: a status and a sentence. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

interface Call {
  readonly query: URLSearchParams
  /** The JSON of the call, null where it has none. */
  readonly body: unknown
  readonly response: ServerResponse
}
/** By method and path, what answers a call; N is the number of a request. */
export type Routes = Readonly<Record<string, (n: string, call: Call) => unknown>>

const PARAMETERS = ['match', 'count', 'wait']

/** The routes of the documented API; `cleared` hears that the requests are forgotten. */
export function controlRoutes(catcher: Catcher, cleared: () => void): Routes {
  let withdraw: readonly (() => void)[] = []
  const forget = (act: () => void) => {
    act()
    cleared()
    return {}
  }
  return {
    'GET /api/requests': async (_, { query }) => {
      for (const key of query.keys()) {
        const nearest = suggestion(key, PARAMETERS)
        if (!PARAMETERS.includes(key)) refuse(`there is no '${key}'${nearest}`)
        if (query.getAll(key).length > 1) refuse(`'${key}' is there twice`)
      }
      const [match, count, wait] = PARAMETERS.map((name) => query.get(name))
      const wanted = match ? parseMatch(match) : {}
      if (wait !== null) {
        const least = count === null ? 1 : wholeNumber(1, 1e9)(count)
        await waitFor(() => catcher.waitFor(wanted, { count: least, timeout: parseDuration(wait) }))
      } else if (count !== null) refuse('count is for how many to wait: add wait=5s')
      const found = catcher.requests.filter((each) => each.complete && !missOf(wanted, each))
      const lines = found.map((request) => recordLine(request)).join(',')
      return Buffer.from(`{"count":${found.length},"requests":[${lines}]}`)
    },
    'DELETE /api/requests': () => forget(() => catcher.clear()),
    'POST /api/reset': () => forget(() => catcher.reset()),
    'PUT /api/rules': (_, { body }) => {
      if (!Array.isArray(body)) refuse('write a list of rules, as for --rules')
      const added: (() => void)[] = []
      try {
        // A rule that is added goes before those that are there.
        for (const rule of body.toReversed() as Rule[]) added.push(catcher.rule(rule))
      } catch (thrown) {
        for (const remove of added) remove()
        throw thrown
      }
      for (const remove of withdraw) remove()
      withdraw = added
      return {}
    },
  }
}

/** Waits for requests; what did not come in time is not found. */
async function waitFor(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (thrown) {
    throw thrown instanceof WaitTimeoutError ? new Refusal(404, thrown.message) : thrown
  }
}
