/** Sends requests to the Worker for the cases of a table, and answers with what a table shows of their answers. */

import { env } from 'cloudflare:workers'
import { app } from '../../worker/app.ts'
import { JSON_TYPE } from '../worker/client.ts'

/** Status and text of an answer of the Worker with these settings; the text only where it refuses. */
export async function answerOf(
  path: string,
  init: RequestInit = {},
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const asked = new Request(`http://service.example${path}`, init)
  const response = await app.fetch(asked, { ...env, ...settings })
  const text = await response.text()
  return response.status < 300 ? String(response.status) : `${response.status} ${text}`
}

/** Posts JSON. */
export const post = (path: string, body: unknown, settings = {}): Promise<string> =>
  answerOf(path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }, settings)
/** Puts JSON. */
export const put = (path: string, body: unknown): Promise<string> =>
  answerOf(path, { method: 'PUT', headers: JSON_TYPE, body: JSON.stringify(body) })

/** So many values. */
export const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** JSON of a value, with spaces after it up to the length. */
export const jsonOfLength = (length: number, value: unknown): string =>
  JSON.stringify(value).padEnd(length)
