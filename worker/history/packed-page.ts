/** Packs pages with GZIP. A page that hardly gets shorter is stored in it as it is, which readers of a few rows take without unpacking. */

import { constants, gunzipSync, gzipSync, type ZlibOptions } from 'node:zlib'

/** Most pages are that short: all of them are hundredths of a file, and two thirds of the time that reading takes. */
const LEAST_SAVED = 400
/** Of GZIP's head, of its stored block's head, and of its end. */
const [HEAD, BLOCK_HEAD, END] = [10, 5, 8]
/** The head of a page that was stored: by a level that packs nothing, in one block. Others have their checksum, and are unpacked. */
const LEVEL = { at: 8, of: 4 }
const BLOCK = { at: HEAD, of: 1 }
/** zlib's least, and more than any page of a column has that is read for a few rows. */
const [LEAST_BYTES_AT_ONCE, MOST_BYTES_AT_ONCE] = [constants.Z_MIN_CHUNK, 1_000_000]

export function packPage(plain: Uint8Array, options: ZlibOptions): Uint8Array {
  const packed = gzipSync(plain, options)
  return plain.length - packed.length < LEAST_SAVED ? gzipSync(plain, { level: 0 }) : packed
}

/** @param length of the page; a damaged file may have another @throws Error for bytes that aren't packed */
export function unpackPage(packed: Uint8Array, length: number): Uint8Array {
  const start = HEAD + BLOCK_HEAD
  const isStored = [LEVEL, BLOCK].every(({ at, of }) => packed[at] === of)
  if (isStored && packed.length === start + length + END) return packed.subarray(start, -END)
  // One piece, with a byte to spare, by which zlib knows that it is the end.
  const chunkSize = Math.min(Math.max(length + 1, LEAST_BYTES_AT_ONCE), MOST_BYTES_AT_ONCE)
  return gunzipSync(packed, { chunkSize })
}
