/** A service that is closed, and what lets people in. */

import { env } from 'cloudflare:workers'
import { app } from '../../worker/app.ts'
import { JSON_TYPE, parametersOf, storeReport, type Answer } from './client.ts'
import type { Payload } from './reports.ts'

export { tokenLine } from '../token-line.ts'

export interface Closed {
  readonly request: (path: string, init?: RequestInit, origin?: string) => Promise<Response>
  /** Status and text of an answer to whoever has the token. */
  readonly as: (token: string, path: string, init?: RequestInit) => Promise<[number, string]>
  /** The JSON that a query is answered with, which must be 200. */
  readonly ask: (
    token: string,
    path: string,
    parameters?: Readonly<Record<string, unknown>>,
  ) => Promise<Answer>
  readonly submit: (token: string, payload: Payload) => Promise<[number, string]>
}

/** The Worker with these settings, and with other bindings where such are given, over the test's database. */
export function closed(
  settings: Readonly<Record<string, string>>,
  others: { readonly SUBMISSIONS?: RateLimit; readonly DB?: D1Database } = {},
): Closed {
  const bindings = { ...env, ACCESS: 'closed', ...settings, ...others }
  const request: Closed['request'] = async (path, init = {}, origin = 'http://service.example') =>
    app.fetch(new Request(`${origin}${path}`, init), bindings)
  const as: Closed['as'] = async (token, path, init = {}) => {
    const headers = { ...(init.headers as Record<string, string>), 'x-authentication': token }
    const response = await request(path, { ...init, headers })
    return [response.status, await response.text()]
  }
  return {
    request,
    as,
    async ask(token, path, parameters = {}) {
      const [status, text] = await as(token, `${path}?${parametersOf(parameters)}`)
      if (status !== 200) throw new Error(`${status} ${text}`)
      return JSON.parse(text)
    },
    submit: (token, payload) =>
      as(token, `/pdb/cmd/v1?${parametersOf(storeReport(String(payload['certname'])))}`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify(payload),
      }),
  }
}
