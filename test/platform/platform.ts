/**
 * The platform in a box: the Worker's own code over a database with D1's walls, in isolates that are evicted. Queries are
 * counted for each invocation, both as batches and as statements, since Cloudflare does not say which of them counts.
 *
 * Cases were seen to fail without what they are about: retention without halved batches (2), ids read ahead without a bound
 * and dictionaries without pages (1 each), a full database that is not recognized (7) or must write first (4), generations that
 * are never compared (7), commands of 32 MiB (2), an import (3) and answers (2) that do not count their queries.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { env } from 'cloudflare:workers'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { app } from '../../worker/app.ts'
import worker from '../../worker/index.ts'
import type { Parameter, Statement } from '../../worker/sql/statement.ts'
import { forgetDatabase } from '../../worker/store/database.ts'
import { JSON_TYPE, parametersOf, storeReport } from '../worker/client.ts'
import type { Payload } from '../worker/reports.ts'
import type { Outcome, PlatformDatabase, Snapshot, Walls } from './database-object.ts'

export const OUT_OF_QUERIES = 'D1_ERROR: Too many API requests by single worker invocation.'

/** What an invocation has sent to D1. */
export interface Sent {
  batches: number
  statements: number
}

/** How the platform behaves; a test sets what it is about. */
export interface Conditions extends Walls {
  /** Queries that an invocation may send, and what counts as one. */
  mostQueries: number
  counting: keyof Sent
  /** Messages with which the next batches fail, one each; null for a batch that succeeds. */
  failures: (string | null)[]
  /** Whether a batch that fails has been committed, so that only its answer is lost. */
  answersLost: boolean
  mostRows: number
  mostBytes: number
  failing: Walls['failing']
}

const NO_WALLS = (): Conditions => ({
  mostQueries: Infinity,
  counting: 'statements',
  failures: [],
  answersLost: false,
  mostRows: Infinity,
  mostBytes: Infinity,
  failing: null,
})

export interface Answered extends Sent {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** The body broke off. */
  readonly broken: boolean
}

type Stub = DurableObjectStub<PlatformDatabase>

const invocations = new AsyncLocalStorage<Sent>()

let databases = 0

export class Platform {
  readonly conditions = NO_WALLS()
  /** The token that clients send; none where the service is open. */
  token: string | null = null
  /** The bucket of the history; null for none. */
  history: HistoryBucket | null = null
  private current: D1Database
  /** A replica that is behind; null without replication. */
  private replica: Stub | null = null
  /** Batches that met a wall. */
  refused = 0
  private version = 0
  private replicated = 0

  private constructor(
    private readonly primary: Stub,
    /** The operator's settings, which a test may change. */
    readonly settings: Record<string, string>,
  ) {
    this.current = this.bindingOf()
  }

  /** A new deployment with an empty database. @param settings beside those of all tests */
  static async deploy(settings: Readonly<Record<string, string>> = {}): Promise<Platform> {
    const primary = await newDatabase()
    return new Platform(primary, { ...settings })
  }

  /** A request of a client, in an invocation of its own; reads its whole body. */
  request(path: string, init: RequestInit = {}): Promise<Answered> {
    return this.invoke(async () => {
      const request = new Request(`http://service.example${path}`, init)
      if (this.token !== null) request.headers.set('x-authentication', this.token)
      const response = await app.fetch(request, this.environment)
      const { text, broken } = await bodyOf(response)
      return { status: response.status, headers: response.headers, body: text, broken }
    })
  }

  submit(payload: Payload): Promise<Answered> {
    const query = parametersOf(storeReport(String(payload['certname'])))
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(payload) }
    return this.request(`/pdb/cmd/v1?${query}`, init)
  }

  /** A query, which must be answered. */
  async ask<Row = Payload>(path: string, parameters: Payload = {}): Promise<Row[]> {
    const { status, body } = await this.request(`/pdb/query/v4/${path}?${parametersOf(parameters)}`)
    if (status !== 200) throw new Error(`${status} ${body}`)
    return JSON.parse(body) as Row[]
  }

  /** A trigger at a time; in an isolate of its own, as triggers run anywhere. */
  async tick(now: number, cron = ''): Promise<Sent> {
    this.evict()
    const controller = { scheduledTime: now, cron, noRetry: () => undefined }
    return this.invoke(async () => {
      await worker.scheduled(controller, this.environment)
      return {}
    })
  }

  /** What the isolate is bound to. */
  get binding(): D1Database {
    return this.current
  }

  /** Does something in another isolate, which remembers nothing. */
  async elsewhere(work: () => Promise<void>): Promise<void> {
    const here = this.current
    this.current = this.bindingOf()
    await work()
    this.current = here
  }

  /** Ends the isolate: the next invocation remembers nothing. */
  evict(): void {
    forgetDatabase(this.binding)
  }

  /** Runs SQL without walls, as an operator does. */
  async sql<Row = Payload>(sql: string, ...params: Parameter[]): Promise<Row[]> {
    const outcome = (await this.primary.run([{ sql, params }], NO_WALLS())) as Outcome
    if ('message' in outcome) {
      this.refused++
      throw new Error(outcome.message)
    }
    return outcome.ran[0]!.rows as Row[]
  }

  bytes(): Promise<number> {
    return Promise.resolve(this.primary.bytes())
  }

  snapshot(): Promise<Snapshot> {
    return Promise.resolve(this.primary.snapshot())
  }

  /** Time Travel: the database goes back, while isolates live on. */
  async restore(snapshot: Snapshot): Promise<void> {
    await this.primary.restore(snapshot)
  }

  /** From now on reads without a bookmark see the database as it is at this moment. */
  async lag(): Promise<void> {
    this.replica ??= await newDatabase()
    await this.replica.restore(await this.snapshot())
    this.replicated = this.version
  }

  private get environment() {
    const history = this.history === null ? {} : { HISTORY: this.history }
    return { ...env, DB: this.binding, ...history, ...this.settings }
  }

  private async invoke<Result extends object>(work: () => Promise<Result>): Promise<Result & Sent> {
    const cost: Sent = { batches: 0, statements: 0 }
    const result = await invocations.run(cost, work)
    return { ...result, ...cost }
  }

  private bindingOf(): D1Database {
    const prepare = (sql: string) => ({
      bind: (...params: Parameter[]): Statement => ({ sql, params }),
      /** For tests; the Worker sends batches only. */
      all: async () => ({ results: await this.sql(sql) }),
    })
    const connection = (stub: (statements: readonly Statement[]) => Promise<Stub>) => ({
      prepare,
      batch: async (statements: readonly Statement[]) =>
        this.send(await stub(statements), statements),
    })
    const bookmark = (): string => String(this.version).padStart(8, '0')
    return {
      ...connection(() => Promise.resolve(this.primary)),
      withSession: (constraint = 'first-unconstrained') => ({
        ...connection(() => this.nearest(constraint)),
        getBookmark: bookmark,
      }),
    } as unknown as D1Database
  }

  /** The database that a session reads: the replica, once it has seen the session's bookmark. */
  private async nearest(constraint: string): Promise<Stub> {
    if (this.replica === null || constraint === 'first-primary') return this.primary
    if (/^\d+$/.test(constraint) && Number(constraint) > this.replicated) await this.lag()
    return this.replica
  }

  private async send(stub: Stub, statements: readonly Statement[]): Promise<D1Result[]> {
    const { conditions } = this
    const cost = invocations.getStore() ?? { batches: 0, statements: 0 }
    cost.batches++
    cost.statements += statements.length
    if (cost[conditions.counting] > conditions.mostQueries) throw new Error(OUT_OF_QUERIES)
    const failure = conditions.failures.shift() ?? null
    if (failure !== null && !conditions.answersLost) throw new Error(failure)
    const { mostRows, mostBytes, failing } = conditions
    const outcome = (await stub.run(statements, { mostRows, mostBytes, failing })) as Outcome
    if ('message' in outcome) {
      this.refused++
      throw new Error(outcome.message)
    }
    if (failure !== null) throw new Error(failure)
    if (outcome.ran.some(({ rowsWritten }) => rowsWritten > 0)) this.version++
    return outcome.ran.map(({ rows, rowsRead, rowsWritten }) => ({
      success: true,
      results: rows,
      meta: {
        duration: 0,
        rows_read: rowsRead,
        rows_written: rowsWritten,
        size_after: outcome.bytes,
        served_by_primary: stub === this.primary,
      },
    })) as unknown as D1Result[]
  }
}

async function newDatabase(): Promise<Stub> {
  const stub = env.PLATFORM.get(env.PLATFORM.idFromName(`${Date.now()} ${++databases}`))
  await stub.migrate(env.TEST_MIGRATIONS.flatMap(({ queries }) => queries))
  return stub
}

async function bodyOf(response: Response): Promise<{ text: string; broken: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(piece, { stream: true })
    }
    return { text, broken: false }
  } catch {
    return { text, broken: true }
  }
}
