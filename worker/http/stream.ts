/** Responses whose body is made while the client takes it. */

import type { Ending } from './request-trace.ts'
import { respond, type Headers } from './respond.ts'

export const LINES_TYPE = 'application/x-ndjson'

/** Lines of JSON, each sent as soon as it is there. */
export const linesResponse = (lines: AsyncGenerator<string>): Response =>
  streamResponse(encoded(lines), { 'content-type': LINES_TYPE })

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const piece of pieces) yield encoder.encode(piece)
}

/** Bytes as they come. */
export function streamResponse(pieces: AsyncIterable<Uint8Array>, headers: Headers): Response {
  const iterator = pieces[Symbol.asyncIterator]()
  const next = async (): Promise<Uint8Array | null> => {
    const piece = await iterator.next()
    return piece.done ? null : piece.value
  }
  const body = streamOf(next, async (ending) => {
    if (ending === 'aborted') await iterator.return?.(undefined)
  })
  return respond(body, headers)
}

/**
 * A body whose next piece is made when the client has taken the one before.
 *
 * @param next gives the next piece; null after the last
 * @param end is called once, with how it ended
 */
export const streamOf = (
  next: () => Promise<Uint8Array | null>,
  end: (ending: Ending) => Promise<void>,
): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await next()
          if (piece) return controller.enqueue(piece)
          controller.close()
        } catch (error) {
          await end('failed')
          throw error
        }
        await end('whole')
      },
      cancel: () => end('aborted'),
    },
    { highWaterMark: 0 },
  )
