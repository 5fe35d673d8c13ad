/**
 * Runs in an isolate with a limited heap: the Worker's own code answers requests, or archives days, until it is ended; D1
 * and the history's bucket are outside.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import '../../../bench/newer-node.ts'
import { bindingOf } from '../../../bench/binding.ts'
import { app } from '../../../worker/app.ts'
import { archiveDays, type Archived } from '../../../worker/history/archive-days.ts'
import type { HistoryBucket } from '../../../worker/history/bucket.ts'
import type { Statement } from '../../../worker/sql/statement.ts'
import { Database } from '../../../worker/store/database.ts'

export interface IsolateRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** Whether the answer has the body, not its length alone; one of 500 or above always has. */
  readonly keeps?: boolean
  /** In ms: archive what is due then, instead of a request. The body of the answer is an `Archiving`. */
  readonly archiveAt?: number
}

/** What archiving did, and the memory that it took outside of the heap. */
export interface Archiving {
  readonly archived: Archived
  /** Path → bytes of a file. */
  readonly files: Readonly<Record<string, number>>
  readonly mostBufferBytes: number
}

export interface IsolateAnswer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** What the request cost. */
  readonly statements: number
  readonly rowsRead: number
  /** V8's used heap behind it, garbage included. */
  readonly heapBytes: number
}

/** What an isolate posts: a batch for D1, or the answer to a request. */
export type FromIsolate =
  | { readonly id: number; readonly statements: readonly Statement[] }
  | { readonly id: number; readonly answer: IsolateAnswer }
/** What it is posted: the results of a batch as text, or an error; or a request. */
export type ToIsolate =
  | { readonly id: number; readonly results: string }
  | { readonly id: number; readonly failure: string }
  | { readonly id: number; readonly request: IsolateRequest }

const OUT_OF_QUERIES = 'D1_ERROR: Too many API requests by single worker invocation.'

const outside = parentPort!

export interface IsolateOptions {
  readonly settings: Readonly<Record<string, string>>
  /** Statements that a request may send to D1; what D1 does with more is an error. */
  readonly mostQueries?: number
}
const { settings, mostQueries = Infinity } = workerData as IsolateOptions

interface Cost {
  statements: number
  rowsRead: number
}
const costs = new AsyncLocalStorage<Cost>()

interface Waiting {
  readonly resolve: (results: string) => void
  readonly reject: (error: Error) => void
}
const waiting = new Map<number, Waiting>()
let batches = 0

/** As on the platform, a batch is a text on its way there, and one on its way back. */
const database = bindingOf(async (statements) => {
  const cost = costs.getStore() ?? { statements: 0, rowsRead: 0 }
  cost.statements += statements.length
  if (cost.statements > mostQueries) throw new Error(OUT_OF_QUERIES)
  const id = ++batches
  const answered = new Promise<string>((resolve, reject) => waiting.set(id, { resolve, reject }))
  outside.postMessage({ id, statements } satisfies FromIsolate)
  const results = JSON.parse(await answered) as D1Result[]
  for (const { meta } of results) cost.rowsRead += meta.rows_read
  return results
})

async function archive(now: number): Promise<Archiving> {
  const files: Record<string, number> = {}
  let mostBufferBytes = 0
  const look = (): void => {
    mostBufferBytes = Math.max(mostBufferBytes, process.memoryUsage().arrayBuffers)
  }
  const bucket: HistoryBucket = {
    put(key, bytes) {
      look()
      files[key] = bytes.length
      return Promise.resolve({})
    },
    get: () => Promise.resolve(null),
    list: () => Promise.resolve({ objects: [], truncated: false }),
    delete: () => Promise.resolve(),
  }
  const looking = setInterval(look, 5)
  const tables = ['events', 'logs', 'metrics'] as const
  const history = { bucket, tables, required: true }
  const archived = await archiveDays(Database.primary(database), history, now)
  clearInterval(looking)
  return { archived, files, mostBufferBytes }
}

/** The text of an answer; its length alone where the client holds nothing of it, as the platform's does outside the isolate. */
async function bodyOf(response: Response, keeps: boolean): Promise<string> {
  if (keeps) return response.text()
  let length = 0
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length
  }
  return String(length)
}

async function answerTo({
  method = 'GET',
  path,
  headers = {},
  body,
  keeps = true,
  archiveAt,
}: IsolateRequest): Promise<IsolateAnswer> {
  const cost: Cost = { statements: 0, rowsRead: 0 }
  return costs.run(cost, async () => {
    if (archiveAt !== undefined) {
      const done = await archive(archiveAt)
      const heapBytes = getHeapStatistics().used_heap_size
      return { status: 200, body: JSON.stringify(done), headers: {}, ...cost, heapBytes }
    }
    const init = { method, headers, ...(body === undefined ? {} : { body }) }
    const request = new Request(`http://service.example${path}`, init)
    const response = await app.fetch(request, { ...settings, DB: database })
    return {
      status: response.status,
      body: await bodyOf(response, keeps || response.status >= 500),
      headers: Object.fromEntries(response.headers),
      ...cost,
      heapBytes: getHeapStatistics().used_heap_size,
    }
  })
}

outside.on('message', (message: ToIsolate) => {
  if ('request' in message) {
    const { id, request } = message
    void answerTo(request).then((answer) => outside.postMessage({ id, answer }))
    return
  }
  const { resolve, reject } = waiting.get(message.id)!
  waiting.delete(message.id)
  if ('results' in message) resolve(message.results)
  else reject(new Error(message.failure))
})
