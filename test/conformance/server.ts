/** Talking to a server of the API: posting commands and asking questions. */

import type { Json } from '../../worker/lib/json.ts'
import { jsonText, parseJson } from '../../worker/lib/lossless.ts'
import type { Command } from './evaluator/report.ts'
import type { Answered } from './judge.ts'

/** A request to a query endpoint: texts in the URL of a GET, JSON in the body of a POST. */
export interface Request {
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, Json>>
  /** Sent as it is, in place of the parameters. */
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

/** How a connection that the other side had closed already shows. */
const CLOSED_BEFORE: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/**
 * A fetch of something that may be asked twice: on a machine so busy that this process stands still
 * for seconds, a kept connection may have been closed by the other side before the next request.
 */
async function fetchAgain(url: URL, options: RequestInit, tries = 3): Promise<Response> {
  try {
    return await fetch(url, options)
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    if (!CLOSED_BEFORE.has(code ?? '') || tries === 1) throw error
    return fetchAgain(url, options, tries - 1)
  }
}

/** Sends a question, and gives back what comes of it. @param base what `/query/v4` hangs under */
export function send(base: string, request: Request): Promise<Response> {
  const { method, path, params, body } = request
  const url = new URL(base + path)
  const posted = method === 'POST'
  if (!posted) {
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, String(value))
  }
  return fetchAgain(url, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(posted ? { 'content-type': 'application/json' } : {}),
      ...request.headers,
    },
    ...(posted ? { body: body ?? jsonText(params) } : {}),
  })
}

/** Asks a question. @param base what `/query/v4` hangs under */
export async function ask(base: string, request: Request): Promise<Answered> {
  const response = await send(base, request)
  const text = await response.text()
  return {
    status: response.status,
    type: (response.headers.get('content-type') ?? '').split(';')[0]!.trim(),
    records: response.headers.get('x-records'),
    body: response.status < 400 ? parsed(text) : text,
  }
}

function parsed(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** Posts commands one after the other, as their order decides what is latest; a report that comes twice is stored once. */
export async function load(
  base: string,
  commands: readonly Command[],
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const { command, version, certname, payload } of commands) {
    const url = new URL(`${base}/cmd/v1`)
    url.search = new URLSearchParams({ command, version: String(version), certname }).toString()
    const response = await fetchAgain(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: jsonText(payload),
    })
    if (!response.ok) throw new Error(`${command} of ${certname}: ${await response.text()}`)
    await response.arrayBuffer()
  }
}

/** Runs `work` on each item, a few at a time, and collects what it gives. */
export async function forEach<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await work(items[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}
