/** Times and cost of one request: in the `server-timing` header of its response, and in one log line when it has ended. */

import { summarizeBoundedLines } from '../lib/bounded-lines.ts'
import { log } from '../lib/log.ts'
import type { Settings } from '../schema/settings.ts'
import type { Usage } from '../store/database.ts'
import { UNAUTHENTICATED } from './unauthenticated-lines.ts'

/** Stages of reading whose work is the Worker's own. */
export type Stage = 'parse' | 'plan' | 'rows'

type Line = Readonly<Record<string, unknown>>

/** How a streamed response ended. */
export type Ending = 'whole' | 'aborted' | 'failed'

/**
 * The trace of one request. Times are milliseconds of `performance.now()` without the time spent waiting
 * for D1. On Cloudflare the clock is stopped while the Worker computes: stages are 0 there, and only
 * `d1` and D1's own `sql` have values. Locally all of them do.
 */
export class RequestTrace {
  /** Characters of a query, in the URL or in the body. */
  queryLength: number | null = null
  bytes: number | null = null
  /** Why access was denied, and whether for lack of credentials. */
  refusal: { readonly reason: string; readonly unauthenticated: boolean } | null = null
  readonly stages: Record<Stage, number> = { parse: 0, plan: 0, rows: 0 }
  private readonly usages: Usage[] = []
  private readonly begun = performance.now()
  private streamed = false
  private status = 0

  constructor(
    private readonly request: Request,
    private readonly logs: Settings['LOG_REQUESTS'],
  ) {}

  /** Counts what a database is used for from now on. */
  observe(usage: Usage): void {
    this.usages.push(usage)
  }

  /** Does the work of a stage and adds up how long it took. */
  async time<Result>(stage: Stage, work: () => Result | Promise<Result>): Promise<Result> {
    const waited = this.sum('waitMilliseconds')
    const begun = performance.now()
    try {
      return await work()
    } finally {
      const waiting = this.sum('waitMilliseconds') - waited
      this.stages[stage] += performance.now() - begun - waiting
    }
  }

  /** The body is streamed: the request ends when `end` is called. */
  stream(): void {
    this.streamed = true
  }

  /** The head of the response has been made. */
  respond(status: number): void {
    this.status = status
    if (!this.streamed) this.end('whole')
  }

  /** The response has been sent, or the client has left. @param error that the body failed with: always logged, as its status was 200 */
  end(ending: Ending, error?: unknown): void {
    if (ending === 'failed') {
      log('error', { ...this.line(ending), error: String(error) })
      return
    }
    const isLogged = this.logs === 'on' || (this.logs === 'failed' && this.status >= 400)
    summarizeBoundedLines()
    if (!isLogged) return
    if (this.refusal?.unauthenticated) UNAUTHENTICATED.requests.write('info', this.line(ending))
    else log('info', this.line(ending))
  }

  private sum(figure: keyof Usage): number {
    return this.usages.reduce((sum, usage) => sum + usage[figure], 0)
  }

  /** Holds nothing of a payload, and of a query only its length. */
  private line(ending: Ending): Line {
    const { method, url, headers } = this.request
    const ray = headers.get('cf-ray') ?? ''
    const { stages } = this
    return {
      message: 'request',
      method,
      path: new URL(url).pathname.slice(0, LONGEST_PATH),
      status: this.status,
      ...(this.refusal === null ? {} : { reason: this.refusal.reason }),
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
      ...(this.usages.length === 0
        ? {}
        : {
            d1_ms: rounded(this.sum('waitMilliseconds')),
            sql_ms: rounded(this.sum('sqlMilliseconds')),
            round_trips: this.sum('roundTrips'),
            statements: this.sum('statements'),
            rows_read: this.sum('rowsRead'),
            rows_written: this.sum('rowsWritten'),
          }),
    }
  }
}

/** The shape of Cloudflare's id of a request. Other senders can put anything into that header. */
const RAY = /^[\w-]{8,64}$/
const LONGEST_PATH = 300

const rounded = (milliseconds: number): number => Math.round(milliseconds * 100) / 100
