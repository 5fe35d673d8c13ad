/** What an archive may unpack to: 64 MiB, and beyond that a hundred times what was sent. */

import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { gunzip } from '../../worker/archive/gzip.ts'

const MIB = 1024 * 1024

/** Unpacks bytes that compress a thousand times, after some that don't. */
async function unpacked(zeros: number, random: number): Promise<number | string> {
  const packed = Buffer.concat([gzipSync(randomBytes(random)), gzipSync(Buffer.alloc(zeros))])
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(packed)
  }
  let length = 0
  try {
    for await (const piece of gunzip(bytes())) length += piece.length
    return length
  } catch (error) {
    return (error as Error).message
  }
}

const REFUSED = "The archive can't be unpacked: it is more than 100 times as large as it was sent."

it.each([
  [64 * MIB - 1, 64 * MIB - 1],
  [64 * MIB, 64 * MIB],
  [64 * MIB + 1, REFUSED],
])('%i bytes of a thousandth', async (zeros, outcome) => {
  expect(await unpacked(zeros, 0)).toBe(outcome)
})

it.each([
  [0.99, 66 * MIB],
  [1.01, REFUSED],
])('66 MiB are %f times a hundred times what was sent', async (share, outcome) => {
  // Of 66 MiB, the zeros are sent as 1/1030, the others as they are.
  const random = Math.ceil((66 * MIB) / 100 / share - (66 * MIB) / 1030)
  expect(await unpacked(66 * MIB - random, random)).toBe(outcome)
})
