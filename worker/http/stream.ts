/** Responses whose body is made while the client takes it. */

import type { Ending, RequestTrace } from './request-trace.ts'
import { failureMessage, respond } from './respond.ts'

export const LINES_TYPE = 'application/x-ndjson'

const encoder = new TextEncoder()
const encoded = (piece: string | Uint8Array): Uint8Array =>
  typeof piece === 'string' ? encoder.encode(piece) : piece

/** Last piece of a body that failed, for a form that can say so; null for one that can't. */
export type FailurePiece = (error: unknown) => string | null

/** The last line of NDJSON that is not all. */
export const failureLine: FailurePiece = (error) =>
  `${JSON.stringify({ error: `This is not all: ${failureMessage(error)}` })}\n`

/** Lines of JSON, each sent as soon as it is there. */
export const linesResponse = (lines: AsyncGenerator<string>, trace: RequestTrace): Response =>
  respond(tracedStream([], lines, trace, failureLine), { 'content-type': LINES_TYPE })

/** A body of pieces that are made as they are taken. The trace of the request ends with it. */
export function tracedStream(
  first: readonly Uint8Array[],
  pieces: AsyncIterable<string | Uint8Array>,
  trace: RequestTrace,
  failurePiece: FailurePiece = () => null,
): ReadableStream<Uint8Array> {
  trace.stream()
  const iterator = pieces[Symbol.asyncIterator]()
  const ready = [...first]
  let bytes = 0
  const next = async (): Promise<Uint8Array | null> => {
    let piece = ready.shift()
    if (!piece) {
      const made = await trace.time('rows', () => iterator.next())
      if (made.done) return null
      piece = encoded(made.value)
    }
    bytes += piece.length
    return piece
  }
  const end = async (ending: Ending, error?: unknown): Promise<void> => {
    trace.bytes = bytes
    trace.end(ending, error)
    if (ending === 'aborted') await iterator.return?.(undefined)
  }
  return streamOf(next, end, failurePiece)
}

/**
 * What a failed body ends with on a server of one's own: workerd would end it as if it were whole, so the launcher
 * recognizes these bytes and cuts the connection in their place. Null on Cloudflare, where an error resets the stream.
 */
let failureMark: Uint8Array | null = null

export function setFailureMark(mark: string): void {
  failureMark = encoder.encode(mark)
}

/**
 * A body whose next piece is made when the client has taken the one before.
 *
 * @param next gives the next piece; null after the last
 * @param end is called once, with how it ended
 */
const streamOf = (
  next: () => Promise<Uint8Array | null>,
  end: (ending: Ending, error?: unknown) => Promise<void>,
  failurePiece: FailurePiece,
): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await next()
          if (piece) return controller.enqueue(piece)
          controller.close()
        } catch (error) {
          await end('failed', error)
          const text = failurePiece(error)
          const last = text === null ? failureMark : encoded(text)
          if (last === null) throw error
          controller.enqueue(last)
          return controller.close()
        }
        await end('whole')
      },
      cancel: () => end('aborted'),
    },
    { highWaterMark: 0 },
  )
