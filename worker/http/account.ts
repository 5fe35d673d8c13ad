/** What a request took, told twice: in the `server-timing` of its answer, and in one line of the log when it has ended. */

import type { MiddlewareHandler } from 'hono'
import { log } from '../lib/log.ts'
import { readSettings, type Settings } from '../schema/settings.ts'
import type { Usage } from '../store/database.ts'

/** Stages of reading whose work is the Worker's own. */
export type Stage = 'parse' | 'plan' | 'rows'

type Line = Readonly<Record<string, unknown>>

/** How an answer that is sent page by page came to its end. */
export type Ending = 'whole' | 'aborted' | 'failed'

/**
 * The account of one request. Times are milliseconds of `performance.now()`, without what was waited for
 * D1: on Cloudflare the clock stands still while the Worker computes, so that the stages are told as 0
 * there, and only `d1` and D1's own `sql` say something; locally all of them do.
 */
export class Account {
  usage: Usage | null = null
  /** Characters of a query, wherever it was sent. */
  queryLength: number | null = null
  bytes: number | null = null
  readonly stages: Record<Stage, number> = { parse: 0, plan: 0, rows: 0 }
  private readonly begun = performance.now()
  private streamed = false
  private status = 0

  constructor(
    private readonly request: Request,
    private readonly write: (line: Line) => void,
  ) {}

  /** Does work of a stage and adds up how long it took. */
  async time<Result>(stage: Stage, work: () => Result | Promise<Result>): Promise<Result> {
    const waited = this.usage?.waitMilliseconds ?? 0
    const begun = performance.now()
    try {
      return await work()
    } finally {
      const waiting = (this.usage?.waitMilliseconds ?? 0) - waited
      this.stages[stage] += performance.now() - begun - waiting
    }
  }

  /** The answer goes on behind its head: the request ends when `end` is called. */
  stream(): void {
    this.streamed = true
  }

  /** The head of the answer is made. */
  answer(status: number): void {
    this.status = status
    if (!this.streamed) this.end('whole')
  }

  /** Nothing more is sent. */
  end(ending: Ending): void {
    this.write(this.line(ending))
  }

  /** No payload, and nothing of a query but its length. */
  private line(ending: Ending): Line {
    const { method, url, headers } = this.request
    const ray = headers.get('cf-ray') ?? ''
    const { usage, stages } = this
    return {
      message: 'request',
      method,
      path: new URL(url).pathname.slice(0, LONGEST_PATH),
      status: this.status,
      request_id: RAY.test(ray) ? ray : crypto.randomUUID(),
      milliseconds: rounded(performance.now() - this.begun),
      ...(this.streamed ? { ending } : {}),
      ...(this.queryLength === null
        ? {}
        : {
            query_length: this.queryLength,
            parse_ms: rounded(stages.parse),
            plan_ms: rounded(stages.plan),
            rows_ms: rounded(stages.rows),
          }),
      ...(this.bytes === null ? {} : { bytes: this.bytes }),
      ...(usage && {
        d1_ms: rounded(usage.waitMilliseconds),
        sql_ms: rounded(usage.sqlMilliseconds),
        round_trips: usage.roundTrips,
        statements: usage.statements,
        rows_read: usage.rowsRead,
        rows_written: usage.rowsWritten,
      }),
    }
  }
}

/** What Cloudflare calls a request; others may send anything by that name. */
const RAY = /^[\w-]{8,64}$/
const LONGEST_PATH = 300

const rounded = (milliseconds: number): number => Math.round(milliseconds * 100) / 100

const WRITERS: Readonly<Record<Settings['LOG_REQUESTS'], (line: Line) => void>> = {
  on: (line) => log('info', line),
  off: () => undefined,
}

const accounts = new WeakMap<Request, Account>()

/** The account of a request, which whoever works on it adds to. */
export function accountOf(request: Request): Account {
  let account = accounts.get(request)
  if (!account) accounts.set(request, (account = new Account(request, WRITERS.off)))
  return account
}

/** Stands before all others, so that what they refuse is logged as well. */
export const logged: MiddlewareHandler<{ Bindings: object }> = async (c, next) => {
  const account = new Account(c.req.raw, WRITERS[readSettings(c.env).LOG_REQUESTS])
  accounts.set(c.req.raw, account)
  await next()
  account.answer(c.res.status)
  // Nobody will take the rows of an answer whose head is all that was asked for.
  if (c.req.method === 'HEAD') await c.res.body?.cancel()
}
