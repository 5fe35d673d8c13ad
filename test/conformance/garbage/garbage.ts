/** Garbage of every kind, by number: the same number is always the same request. */

import type { Tables } from '../evaluator/tables.ts'
import { Draw } from '../random/draw.ts'
import { send, type Request } from '../server.ts'
import { insightOf } from './insights.ts'
import { questionable } from './queries.ts'
import { Silence } from './silence.ts'
import { submissionOf } from './submissions.ts'
import { sendWire, wireOf, type Outcome } from './wire.ts'

/** A request for an HTTP client, or the text of one that none would send. */
export type Garbage = Request | string

/** The request that a number stands for. @param samples what the service holds, which queries ask of */
export function garbageOf(seed: number, samples: Tables): Garbage {
  const draw = new Draw(seed)
  return draw.one<Garbage>(
    [10, () => questionable(draw, seed, samples)],
    [8, () => submissionOf(draw, seed)],
    [2, () => wireOf(draw)],
    [4, () => insightOf(draw, samples)],
  )
}

/** What comes of it. */
export async function sendGarbage(base: string, garbage: Garbage): Promise<Outcome> {
  if (typeof garbage === 'string') return sendWire(base, garbage)
  // workerd ends a connection that has been idle for a while, which a busy client may see only when it uses it again.
  return sendRequest(base, garbage).catch(() => sendRequest(base, garbage))
}

async function sendRequest(base: string, request: Request): Promise<Outcome> {
  const silence = new Silence()
  const { status, body } = await send(base, request)
  const pieces: Uint8Array[] = []
  for await (const piece of body ?? []) {
    silence.broken()
    pieces.push(piece)
  }
  silence.broken()
  return { status, text: Buffer.concat(pieces).toString(), silence: silence.longest }
}

/** What a failure is told by. */
export function nameOf(garbage: Garbage): string {
  if (typeof garbage === 'string') return JSON.stringify(garbage.slice(0, 2000))
  const { method, path, params, body, headers } = garbage
  const shown = body === undefined ? JSON.stringify(params) : Buffer.from(body).toString()
  return `${method} ${path} ${JSON.stringify(headers ?? {})} ${shown.slice(0, 1000)}`
}
