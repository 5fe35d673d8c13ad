/** Gzip as a stream. Each piece is processed when the one before has been taken, so that memory stays bounded. */

import { Readable, pipeline, type Transform } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { CommandError } from '../lib/errors.ts'

export const gzip = (bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  through(bytes, createGzip())

/** Bytes that an archive may unpack to, whatever its size, and how many times its size beyond that. */
const ALWAYS_ALLOWED = 64 * 1024 * 1024
const MOST_TIMES = 100

/**
 * @throws CommandError where the bytes are not gzip, are damaged or end too soon, or unpack to more than any archive of
 *   reports does (they compress to a tenth or a thirtieth)
 */
export async function* gunzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [packed, unpacked] = [0, 0]
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      packed += piece.length
      yield piece
    }
  }
  try {
    for await (const piece of through(counted(), createGunzip())) {
      unpacked += piece.length
      if (unpacked > Math.max(ALWAYS_ALLOWED, packed * MOST_TIMES)) {
        throw new CommandError(
          `The archive can't be unpacked: it is more than ${MOST_TIMES} times as large as it was sent.`,
        )
      }
      yield piece
    }
  } catch (error) {
    const { code } = error as { code?: string }
    if (!code?.startsWith('Z_')) throw error
    throw new CommandError(`The archive can't be unpacked: it is not gzip, or damaged (${code}).`)
  }
}

function through(
  bytes: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncIterable<Uint8Array> {
  // An error at either end destroys the other, and the reader of the transform gets it thrown.
  pipeline(Readable.from(bytes, { objectMode: false }), transform, () => undefined)
  return transform
}
