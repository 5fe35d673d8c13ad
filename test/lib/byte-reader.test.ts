/** Reading a stream by length or up to a marker: the pieces in which it comes change nothing. */

import { expect, it } from 'vitest'
import { ByteReader } from '../../worker/lib/byte-reader.ts'

const MARK = Buffer.from('<->')
const PIECE = 65_536

/** A stream that comes in pieces of a size. */
async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += size)
    yield await Promise.resolve(Buffer.from(text.slice(at, at + size)))
}

/** What comes before the marker, whether the marker was there, and the lengths of the pieces. */
async function upToMark(reader: ByteReader) {
  const pieces: string[] = []
  for (const parts = reader.until(MARK); ;) {
    const { done, value } = await parts.next()
    if (done)
      return { text: pieces.join(''), found: value, lengths: pieces.map((one) => one.length) }
    pieces.push(value.toString())
  }
}

it.each([1, 2, 3, 4, 7, 100])('reads a stream in pieces of %i bytes', async (size) => {
  const reader = new ByteReader(piecesOf('headfirst<->-<-<->rest', size))
  expect((await reader.read(4)).toString()).toBe('head')
  expect(await upToMark(reader)).toMatchObject({ text: 'first', found: true })
  expect(await upToMark(reader)).toMatchObject({ text: '-<-', found: true })
  expect((await reader.read(2)).toString()).toBe('re')
  expect(await upToMark(reader)).toMatchObject({ text: 'st', found: false })
  expect((await reader.read(1)).length).toBe(0)
})

it.each([1, 3, 100])('hands out no empty piece, in pieces of %i bytes', async (size) => {
  const reader = new ByteReader(piecesOf('<-><->', size))
  for (const found of [true, true, false])
    expect(await upToMark(reader)).toEqual({ text: '', found, lengths: [] })
})

it('gives fewer bytes than asked for at the end', async () => {
  const reader = new ByteReader(piecesOf('abcde', 2))
  expect((await reader.read(3)).toString()).toBe('abc')
  expect((await reader.read(3)).toString()).toBe('de')
  expect((await reader.read(3)).toString()).toBe('')
})

it.each([
  [PIECE + 2, [PIECE + 2]],
  [PIECE + 3, [PIECE + 1, 2]],
  [PIECE + 4, [PIECE + 2, 2]],
])(
  'hands out what %i bytes without a marker hold, but for a marker’s beginning',
  async (length, lengths) => {
    const reader = new ByteReader(piecesOf('x'.repeat(length), length))
    expect((await upToMark(reader)).lengths).toEqual(lengths)
  },
)

it('cancels the stream', async () => {
  let ended = false
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield await Promise.resolve(Buffer.from('x'))
    } finally {
      ended = true
    }
  }
  const reader = new ByteReader(endless())
  await reader.read(1)
  await reader.close()
  expect([ended, (await reader.read(1)).length]).toEqual([true, 0])
})
