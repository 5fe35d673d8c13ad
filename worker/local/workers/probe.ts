/** Lets benchmarks and tests query the database of a running service. Only they open its socket. */

import type { HostEnv } from './env.ts'

/** A statement in JSON: bytes are arrays of numbers. */
export interface ProbeStatement {
  readonly sql: string
  readonly params: readonly unknown[]
}

export const probe = {
  async fetch(request: Request, { DB }: HostEnv): Promise<Response> {
    const statements = await request.json<ProbeStatement[]>()
    const bound = statements.map(({ sql, params }) => DB.prepare(sql).bind(...params))
    try {
      return Response.json(await DB.batch(bound))
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  },
}
