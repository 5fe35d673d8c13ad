/** Answers that are made as they are taken, and are no rows of a query. */

export const LINES_TYPE = 'application/x-ndjson'

/** Lines of JSON, each sent as soon as it is there. */
export const linesResponse = (lines: AsyncGenerator<string>): Response =>
  streamResponse(encoded(lines), { 'content-type': LINES_TYPE })

export async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const piece of pieces) yield encoder.encode(piece)
}

/** Bytes as they come: each piece is asked for when the client has taken what came before. */
export function streamResponse(
  pieces: AsyncIterable<Uint8Array>,
  headers: Record<string, string>,
): Response {
  const iterator = pieces[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await iterator.next()
        if (piece.done) controller.close()
        else controller.enqueue(piece.value)
      },
      async cancel() {
        await iterator.return?.(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers })
}
