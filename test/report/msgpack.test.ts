/** Reading MessagePack, beside another implementation's writer and what Ruby's wrote. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { codePoint } from '../code-point.ts'
import { describe, expect, it, test } from 'vitest'
import { CommandError } from '../../worker/lib/errors.ts'
import { canonicalText, ExactNumber } from '../../worker/lib/lossless.ts'
import type { Json } from '../../worker/lib/json.ts'
import { decodeMessagePack } from '../../worker/msgpack/decode.ts'

const FOLDER = join(import.meta.dirname, '../fixtures/transaction-reports')
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)

test("Ruby's bytes of a real report are its JSON", () => {
  const packed = readFileSync(join(FOLDER, 'failed.msgpack'))
  const json = JSON.parse(readFileSync(join(FOLDER, 'failed.json'), 'utf8')) as Json
  expect(decodeMessagePack(packed)).toEqual(json)
})

test('what another implementation writes is read as it was', () => {
  const value = fc.jsonValue({ maxDepth: 6, stringUnit: codePoint })
  fc.assert(
    fc.property(value, (json) => {
      // Minus zero is no other number in JSON.
      expect(canonicalText(decodeMessagePack(encode(json)))).toBe(canonicalText(json as Json))
    }),
    { numRuns: 2000 },
  )
})

describe('reads', () => {
  it.each<[string, Uint8Array, unknown]>([
    ['an empty map', bytes(0x80), {}],
    ['the least of 8 bits', bytes(0xd0, 0x80), -128],
    ['the least of 16 bits', bytes(0xd1, 0x80, 0), -32768],
    ['the least of 32 bits', bytes(0xd2, 0x80, 0, 0, 0), -2147483648],
    ['a negative fixint', bytes(0xe0), -32],
    ['false', bytes(0xc2), false],
    ['true', bytes(0xc3), true],
    ['8 bits without a sign', bytes(0xcc, 0xff), 255],
    ['16 bits without a sign', bytes(0xcd, 0xff, 0xff), 65535],
    ['32 bits without a sign', bytes(0xce, 0xff, 0xff, 0xff, 0xff), 4294967295],
    [
      '64 bits that a double holds',
      bytes(0xcf, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
      2 ** 53 - 1,
    ],
    ['a float of 32 bits', bytes(0xca, 0x3f, 0, 0, 0), 0.5],
    ['bytes that are UTF-8', bytes(0xc4, 2, 0xc3, 0xa9), 'é'],
    ['bytes that are none', bytes(0xc4, 1, 0xe9), 'é'],
    ['bytes with a length of 16 bits', bytes(0xc5, 0, 1, 0x61), 'a'],
    ['bytes with a length of 32 bits', bytes(0xc6, 0, 0, 0, 1, 0x61), 'a'],
    ['text with a length of 8 bits', bytes(0xd9, 1, 0x61), 'a'],
    ['text with a length of 16 bits', bytes(0xda, 0, 1, 0x61), 'a'],
    ['text with a length of 32 bits', bytes(0xdb, 0, 0, 0, 1, 0x61), 'a'],
    ['text that is no UTF-8', bytes(0xa1, 0xe9), 'é'],
    ['a replacement character', bytes(0xa3, 0xef, 0xbf, 0xbd), '\ufffd'],
    ['the greatest fixint', bytes(0x7f), 127],
    [
      'the longest fixmap',
      bytes(0x8f, ...Array.from({ length: 15 }, (_, key) => [0xa1, 0x61 + key, key]).flat()),
      Object.fromEntries(
        Array.from({ length: 15 }, (_, key) => [String.fromCharCode(97 + key), key]),
      ),
    ],
    [
      'the longest fixarray',
      bytes(0x9f, ...Array.from({ length: 15 }, (_, index) => index)),
      Array.from({ length: 15 }, (_, index) => index),
    ],
    ['the longest fixstr', bytes(0xbf, ...Array.from({ length: 31 }, () => 0x61)), 'a'.repeat(31)],
    ['a list of 16 bits', bytes(0xdc, 0, 2, 1, 2), [1, 2]],
    ['a list of 32 bits', bytes(0xdd, 0, 0, 0, 2, 1, 2), [1, 2]],
    ['a map of 16 bits', bytes(0xde, 0, 1, 0xa1, 0x61, 0xc0), { a: null }],
    ['a map of 32 bits', bytes(0xdf, 0, 0, 0, 1, 0xa1, 0x61, 0xc0), { a: null }],
    ['the key __proto__', encode(JSON.parse('{"__proto__": 1}')), JSON.parse('{"__proto__": 1}')],
  ])('%s', (_name, packed, value) => {
    expect(decodeMessagePack(packed)).toEqual(value)
  })

  it('64 bits that no double holds, digit for digit', () => {
    const greatest = bytes(0xcf, ...Array.from({ length: 8 }, () => 0xff))
    expect(decodeMessagePack(greatest)).toEqual(new ExactNumber('18446744073709551615'))
    expect(decodeMessagePack(bytes(0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0))).toEqual(
      new ExactNumber('-9223372036854775808'),
    )
  })
})

describe('refuses', () => {
  it.each([
    ['nothing', bytes(), 'byte 0: the bytes end within a value'],
    ['half a text', bytes(0xa3, 0x61), 'byte 1: the bytes end within a value'],
    [
      'a claimed list',
      bytes(0xdd, 0xff, 0xff, 0xff, 0xff, 1),
      'byte 6: the bytes end within a value',
    ],
    ['a second value', bytes(1, 2), 'byte 1: the value has ended, and the bytes go on'],
    ['a key that is no text', bytes(0x81, 1, 2), "byte 2: a key of a map isn't text"],
    ['an extension', bytes(0xd4, 1, 2), 'byte 0: no value of a report begins with 0xd4'],
    ['infinity', bytes(0xca, 0x7f, 0x80, 0, 0), "byte 5: Infinity isn't a JSON number"],
    [
      'deep nesting',
      new Uint8Array(1_000_000).fill(0x91),
      'byte 101: collections are nested deeper than 100 levels',
    ],
    [
      'values without end',
      Buffer.concat([bytes(0xdd, 0, 0xff, 0xff, 0xff), Buffer.alloc(0xffffff)]),
      'byte 2097156: there are more than 2097152 values',
    ],
  ])('%s', (_name, packed, reason) => {
    expect(() => decodeMessagePack(packed)).toThrow(
      new CommandError(`The MessagePack can't be read: ${reason}.`),
    )
  })

  it('unreadable bytes of any kind with a message', () => {
    const report = readFileSync(join(FOLDER, 'failed.msgpack'))
    const spoilt = fc
      .tuple(fc.nat(report.length - 1), fc.nat(255), fc.nat(report.length))
      .map(([at, value, end]) => {
        const copy = Buffer.from(report.subarray(0, end))
        if (at < end) copy[at] = value
        return copy
      })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), spoilt), (packed) => {
        try {
          decodeMessagePack(packed)
        } catch (error) {
          expect(error).toBeInstanceOf(CommandError)
        }
      }),
      { numRuns: 3000 },
    )
  })
})
