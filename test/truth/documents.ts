/** What the service answers to one reader about one scope: each document is asked for once. */

import { closed, tokenLine } from '../worker/closed.ts'
import { readPage, type ReadPage } from '../worker/page.ts'
import type { Answer } from '../worker/client.ts'

/** Who reads, and what. */
export interface Reading {
  /** Name of a reader of `READERS`. */
  readonly reader: ReaderName
  /** How long before the end of the story, as addresses have it: `24h`. */
  readonly since: string
  readonly environment: string | null
}

/** Readers, and which runs each may see. */
export const READERS = {
  all: { filter: '', maySee: () => true },
  webs: {
    filter: 'certname=web-*',
    maySee: ({ certname }: { readonly certname: string }) => certname.startsWith('web-'),
  },
  staging: {
    filter: 'environment=staging',
    maySee: ({ environment }: { readonly environment: string }) => environment === 'staging',
  },
} as const
export type ReaderName = keyof typeof READERS

const SERVICE = closed({
  TOKENS: Object.entries(READERS)
    .map(([name, { filter }]) => tokenLine(name, filter === '' ? 'admin' : 'read', filter))
    .join('\n'),
})

export interface Documents {
  readonly reading: Reading
  /** The JSON below `/insight/v1`, in the scope of the reading. */
  readonly insight: (path: string) => Promise<Answer>
  /** A page below `/console`, in the same scope. */
  readonly page: (path: string) => Promise<ReadPage>
  /** The text of an MCP tool's answer. */
  readonly tool: (name: string, given?: Readonly<Record<string, unknown>>) => Promise<string>
  /** The text of any path, out of any scope. */
  readonly text: (path: string) => Promise<string>
}

export function documentsOf(reading: Reading): Documents {
  const { reader, since, environment } = reading
  const kept = new Map<string, Promise<unknown>>()
  const once = <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    const found = kept.get(key) ?? read()
    kept.set(key, found)
    return found as Promise<Value>
  }
  const fetched = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...(init.headers as Record<string, string>), 'x-authentication': reader }
    const response = await SERVICE.request(path, { ...init, headers })
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
    return response
  }
  const scoped = (path: string, name: string): string => {
    const scope = {
      ...(path.includes('since=') ? {} : { since }),
      ...(environment === null ? {} : { [name]: environment }),
    }
    return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(scope).toString()}`
  }
  return {
    reading,
    insight: (path) =>
      once(path, async () => {
        const response = await fetched(scoped(`/insight/v1/${path}`, 'environment'))
        return JSON.parse(await response.text())
      }),
    page: (path) =>
      once(`page ${path}`, async () =>
        readPage(
          await fetched(scoped(`/console${path}`, 'env'), { headers: { accept: 'text/html' } }),
        ),
      ),
    tool: (name, given = {}) =>
      once(`tool ${name} ${JSON.stringify(given)}`, async () => {
        const scope = { since, ...(environment === null ? {} : { environment }) }
        const params = { name, arguments: { ...scope, ...given } }
        const response = await fetched('/mcp', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        })
        const { result } = JSON.parse(await response.text()) as {
          result: { content: readonly { text: string }[] }
        }
        return result.content[0]!.text
      }),
    text: (path) => once(`text ${path}`, async () => (await fetched(path)).text()),
  }
}
