/**
 * The database of a running service, asked over HTTP by a Worker beside it: Miniflare's own way there
 * puts this thread to sleep, and may end it (worker/local/keeper.ts).
 */

import { LOOKOUT, type Service } from '../worker/local/service.ts'
import type { Parameter, Statement } from '../worker/sql/statement.ts'

/** What a batch is answered by D1. */
export type Look = (statements: readonly Statement[]) => Promise<D1Result[]>

/** The module of that Worker. */
export const LOOKOUT_MODULE = `export default {
  async fetch(request, { DB }) {
    const bytesOr = (value) => (Array.isArray(value) ? new Uint8Array(value) : value)
    const prepared = (await request.json()).map(({ sql, params }) => DB.prepare(sql).bind(...params.map(bytesOr)))
    return Response.json(await DB.batch(prepared))
  },
}`

const travelling = (value: Parameter): unknown => (value instanceof Uint8Array ? [...value] : value)

export const lookFrom =
  (dispatch: Service['dispatch']): Look =>
  async (statements) => {
    const body = JSON.stringify(
      statements.map(({ sql, params }) => ({ sql, params: params.map(travelling) })),
    )
    const response = await dispatch(LOOKOUT, { method: 'POST', body })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return (await response.json()) as D1Result[]
  }
