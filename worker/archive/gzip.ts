/** Gzip as a stream. Each piece is processed when the one before has been taken, so that memory stays bounded. */

import { Readable, pipeline, type Transform } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { CommandError } from '../lib/errors.ts'

export const gzip = (bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  through(bytes, createGzip())

/** @throws CommandError where the bytes are not gzip, are damaged or end too soon */
export async function* gunzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* through(bytes, createGunzip())
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
