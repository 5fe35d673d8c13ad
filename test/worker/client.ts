/** Speaks HTTP to the Worker, as its clients do. */

import { env } from 'cloudflare:workers'
import { app } from '../../worker/app.ts'
import type { Payload } from './reports.ts'

/** Parsed JSON of an answer: tests say what it must be. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any

const ORIGIN = 'http://service.example'

/**
 * A request to the Worker; `database` stands in for the one it is bound to. It calls the app itself: each request by
 * `exports.default` of @cloudflare/vitest-pool-workers 0.15.1 wraps the prototype of its entrypoint in one more Proxy,
 * so that a file with a thousand requests takes minutes.
 */
export async function request(
  path: string,
  init: RequestInit = {},
  database: D1Database = env.DB,
): Promise<Response> {
  return app.fetch(new Request(ORIGIN + path, init), { ...env, DB: database })
}

export const parametersOf = (parameters: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString()

/** The text of an answer of any type; `Response.text` warns of types that it doesn't know for texts, such as NDJSON. */
export const textOf = async (response: Response): Promise<string> =>
  new TextDecoder().decode(await response.arrayBuffer())

/** The JSON that a query is answered with. Parameters that are no texts are sent as JSON. */
export async function ask(
  path: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const response = await request(`${path}?${parametersOf(parameters)}`)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text)
}

export const JSON_TYPE = { 'content-type': 'application/json' }

/** Parameters of the command in the modern form. */
export const storeReport = (certname: string, others: Payload = {}): Payload => ({
  command: 'store_report',
  version: 8,
  certname,
  ...others,
})

/** Posts any body as a command, and reads the whole answer. */
export async function post(
  parameters: Payload,
  body: BodyInit,
  headers: Record<string, string> = JSON_TYPE,
): Promise<{ status: number; type: string | null; body: string }> {
  const init = { method: 'POST', headers, body }
  const response = await request(`/pdb/cmd/v1?${parametersOf(parameters)}`, init)
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.text(),
  }
}

/** Submits a payload in the modern form. */
export function submit(
  payload: Payload,
  parameters: Payload = {},
  database?: D1Database,
): Promise<Response> {
  const query = parametersOf(storeReport(String(payload['certname']), parameters))
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(payload) }
  return request(`/pdb/cmd/v1?${query}`, init, database)
}

/** Submits payloads one after the other, all of which must be taken; returns their answers. */
export async function store(...payloads: readonly Payload[]): Promise<Answer[]> {
  const answers: unknown[] = []
  for (const payload of payloads) {
    const response = await submit(payload)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status} ${text}`)
    answers.push(JSON.parse(text))
  }
  return answers
}

/** What an answer says it has cost. */
export function costOf(response: Response) {
  const header = response.headers.get('server-timing') ?? ''
  const number = (name: string): number =>
    Number(new RegExp(`${name};desc="(\\d+)"`).exec(header)?.[1] ?? NaN)
  return {
    roundTrips: number('round-trips'),
    statements: number('statements'),
    rowsRead: number('rows-read'),
    rowsWritten: number('rows-written'),
  }
}

/** The reports of a node, newest first, or some columns of them. */
export const reportsOf = (certname: string, columns?: readonly string[]): Promise<Answer[]> => {
  const filter = ['=', 'certname', certname]
  return ask('/query/v4/reports', {
    query: columns ? ['extract', columns, filter] : filter,
    order_by: [{ field: 'producer_timestamp', order: 'desc' }],
  })
}

/** Rows of a table, for what the API doesn't show, such as rows that nobody should have written. */
export async function countRows(sql: string, ...values: unknown[]): Promise<number> {
  return (await env.DB.prepare(`SELECT count(*) AS n FROM ${sql}`)
    .bind(...values)
    .first<number>('n'))!
}
