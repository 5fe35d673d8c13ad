/**
 * An imitation of Cloudflare's API for one account, as far as `wrangler` asks for it in a deployment: databases (which
 * Miniflare's D1 answers), Workers and their secrets. It refuses every other request with 404, and notes it.
 */

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Miniflare } from 'miniflare'

const ACCOUNT = 'a'.repeat(32)
const TEAM = 'example'

interface ImitatedDatabase {
  readonly name: string
  readonly uuid: string
  /** Where it was asked for. */
  readonly place: string
}

interface ImitatedWorker {
  readonly secrets: Map<string, string>
  /** The id that the binding DB had in each deployment. */
  readonly databases: string[]
  schedules: readonly string[]
}

export interface CloudflareApi {
  /** Variables by which wrangler finds it. */
  readonly environment: Readonly<Record<string, string>>
  readonly databases: ImitatedDatabase[]
  readonly workers: ReadonlyMap<string, ImitatedWorker>
  /** Requests without an answer. */
  readonly unknown: readonly string[]
  /** Statements that the database refuses to wrangler. */
  readonly refused: RegExp[]
  /** Rows of a statement on a database. */
  readonly query: (uuid: string, sql: string) => Promise<Record<string, unknown>[]>
  readonly stop: () => Promise<void>
}

/** A binding of an uploaded Worker. */
interface Binding {
  readonly type: string
  readonly name: string
  readonly text?: string
  readonly id?: string
}

/** The body of a request and its type. */
interface Received {
  readonly body: Buffer
  readonly type: string
}

type Answer = (groups: readonly string[], received: Received) => unknown

/** Refuses with the error code of the API. */
class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

export async function startCloudflareApi(): Promise<CloudflareApi> {
  const databases: ImitatedDatabase[] = []
  const workers = new Map<string, ImitatedWorker>()
  const runtimes = new Map<string, Miniflare>()
  const unknown: string[] = []
  const refused: RegExp[] = []

  const workerOf = (name = ''): ImitatedWorker => {
    const worker = workers.get(name)
    if (worker === undefined) throw new ApiError(404, 10007, 'This Worker does not exist.')
    return worker
  }
  const query = async (
    uuid: string,
    sql: string,
    params: readonly unknown[] = [],
  ): Promise<object> => {
    const runtime =
      runtimes.get(uuid) ??
      new Miniflare({ modules: true, script: 'export default {}', d1Databases: { DB: uuid } })
    runtimes.set(uuid, runtime)
    const database = await runtime.getD1Database('DB')
    return database
      .prepare(sql)
      .bind(...params)
      .all()
  }
  const store = async (name: string, { body, type }: Received): Promise<void> => {
    const upload = new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    const parts = new Map<string, unknown>(await upload.formData())
    const { bindings } = JSON.parse(parts.get('metadata') as string) as {
      readonly bindings: readonly Binding[]
    }
    const fresh: ImitatedWorker = { secrets: new Map(), databases: [], schedules: [] }
    const worker = workers.get(name) ?? fresh
    workers.set(name, worker)
    for (const binding of bindings)
      if (binding.type === 'secret_text') worker.secrets.set(binding.name, binding.text!)
      else if (binding.name === 'DB') worker.databases.push(binding.id!)
  }

  const answers: readonly (readonly [methodAndPath: RegExp, Answer])[] = [
    [/^GET \/d1\/database$/, () => databases],
    [
      /^POST \/d1\/database$/,
      (_, { body }) => {
        const { name, primary_location_hint, jurisdiction } = fieldsOf(body)
        const place = primary_location_hint ?? `jurisdiction ${jurisdiction}`
        databases.push({ name: name!, uuid: randomUUID(), place })
        return databases.at(-1)
      },
    ],
    [
      /^POST \/d1\/database\/([\w-]+)\/query$/,
      async ([uuid], { body }) => {
        const { sql, params } = JSON.parse(body.toString()) as { sql: string; params?: unknown[] }
        if (refused.some((pattern) => pattern.test(sql)))
          throw new ApiError(400, 7500, 'The database is overloaded.')
        return [await query(uuid!, sql, params)]
      },
    ],
    [
      /^GET \/workers\/scripts\/([\w-]+)\/secrets$/,
      ([name]) =>
        [...workerOf(name).secrets.keys()].map((secret) => ({ name: secret, type: 'secret_text' })),
    ],
    [
      /^GET \/workers\/services\/([\w-]+)$/,
      ([name]) =>
        workerOf(name) && {
          default_environment: { environment: 'production', script: { tag: 'x' } },
        },
    ],
    [
      /^GET \/workers\/scripts\/([\w-]+)\/deployments$/,
      ([name]) => workerOf(name) && { deployments: [] },
    ],
    [
      /^GET \/workers\/scripts\/([\w-]+)\/settings$/,
      ([name]) => workerOf(name) && { bindings: [] },
    ],
    [
      /^POST \/workers\/scripts\/([\w-]+)\/assets-upload-session$/,
      () => ({ jwt: 'imitated', buckets: [] }),
    ],
    [
      /^PUT \/workers\/scripts\/([\w-]+)$/,
      async ([name], received) => {
        await store(name!, received)
        return { id: name, etag: 'x', deployment_id: randomUUID().replaceAll('-', '') }
      },
    ],
    [
      /^POST \/workers\/scripts\/([\w-]+)\/versions$/,
      async ([name], received) => {
        await store(name!, received)
        return { id: randomUUID(), resources: { script: { etag: 'x' } } }
      },
    ],
    [/^POST \/workers\/scripts\/[\w-]+\/deployments$/, () => ({ id: randomUUID() })],
    [/^PATCH \/workers\/scripts\/[\w-]+\/script-settings$/, () => ({})],
    [/^GET \/workers\/subdomain$/, () => ({ subdomain: TEAM })],
    [
      /^(?:GET|POST) \/workers\/scripts\/[\w-]+\/subdomain$/,
      () => ({ enabled: true, previews_enabled: true }),
    ],
    [
      /^PUT \/workers\/scripts\/([\w-]+)\/schedules$/,
      ([name], { body }) => {
        const schedules = JSON.parse(body.toString()) as { cron: string }[]
        workerOf(name).schedules = schedules.map(({ cron }) => cron)
        return { schedules }
      },
    ],
  ]

  const answerTo = (line: string, received: Received): unknown => {
    const row = answers.find(([form]) => form.test(line))
    if (row === undefined) {
      unknown.push(line)
      throw new ApiError(404, 7003, 'The imitation does not know this request.')
    }
    const [form, answer] = row
    return answer(form.exec(line)!.slice(1), received)
  }

  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const { pathname } = new URL(url, 'http://api')
    const send = (status: number, answer: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ messages: [], errors: [], ...answer }))
    }
    void bodyOf(request)
      .then((body) =>
        answerTo(`${method} ${pathname.replace(`/accounts/${ACCOUNT}`, '')}`, {
          body,
          type: headers['content-type'] ?? '',
        }),
      )
      .then(
        (result) => send(200, { success: true, result }),
        (error: unknown) => {
          // D1 reports what SQLite refuses with this code.
          const { status, code, message } =
            error instanceof ApiError ? error : new ApiError(400, 7500, String(error))
          send(status, { success: false, errors: [{ code, message }] })
        },
      )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    environment: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      CLOUDFLARE_API_TOKEN: 'imitated',
      WRANGLER_SEND_METRICS: 'false',
      CI: 'true',
    },
    databases,
    workers,
    unknown,
    refused,
    async query(uuid, sql) {
      const { results } = (await query(uuid, sql)) as { results: Record<string, unknown>[] }
      return results
    },
    async stop() {
      server.close()
      server.closeAllConnections()
      await Promise.all([...runtimes.values()].map((runtime) => runtime.dispose()))
    },
  }
}

const fieldsOf = (body: Buffer): Readonly<Record<string, string>> =>
  JSON.parse(body.toString()) as Record<string, string>

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
