/** MessagePack (github.com/msgpack/msgpack, spec.md), in which agents write reports where both sides have the gem → values of JSON. */

import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { readNumber } from '../lib/lossless.ts'

/** Levels of collections within each other. */
const DEEPEST = 100
/** Values in all, so that an isolate's memory holds them: a byte may be one. A report of 12,000 changed resources has about 700,000. */
const MOST_VALUES = 2 ** 21

/**
 * The one value that the bytes hold. Integers that a double can't hold become ExactNumber. Takes time and memory linear in the number of
 * bytes, whatever lengths they claim.
 *
 * @throws CommandError naming byte and reason where the bytes aren't MessagePack, or hold what JSON has no value for
 */
export function decodeMessagePack(bytes: Uint8Array): Json {
  const reader = new MessagePackReader(bytes)
  const value = reader.value()
  reader.requireEnd()
  return value
}

class MessagePackReader {
  private at = 0
  private depth = 0
  private values = 0
  private readonly view: DataView
  private readonly bytes: Buffer

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.view = new DataView(buffer, byteOffset, byteLength)
    this.bytes = Buffer.from(buffer, byteOffset, byteLength)
  }

  value(): Json {
    if (++this.values > MOST_VALUES) throw this.error(`there are more than ${MOST_VALUES} values`)
    const code = this.unsigned(1)
    if (code <= 0x7f) return code
    if (code <= 0x8f) return this.map(code & 0x0f)
    if (code <= 0x9f) return this.list(code & 0x0f)
    if (code <= 0xbf) return this.text(code & 0x1f)
    if (code >= 0xe0) return code - 0x100
    switch (code) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xca:
        return this.real(this.view.getFloat32(this.take(4)))
      case 0xcb:
        return this.real(this.view.getFloat64(this.take(8)))
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.unsigned(2 ** (code - 0xcc))
      case 0xcf:
        return readNumber(String(this.view.getBigUint64(this.take(8))))
      case 0xd0:
        return this.view.getInt8(this.take(1))
      case 0xd1:
        return this.view.getInt16(this.take(2))
      case 0xd2:
        return this.view.getInt32(this.take(4))
      case 0xd3:
        return readNumber(String(this.view.getBigInt64(this.take(8))))
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.text(this.unsigned(2 ** (code - 0xc4)))
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.text(this.unsigned(2 ** (code - 0xd9)))
      case 0xdc:
      case 0xdd:
        return this.list(this.unsigned(2 ** (code - 0xdb)))
      case 0xde:
      case 0xdf:
        return this.map(this.unsigned(2 ** (code - 0xdd)))
      default:
        this.at--
        throw this.error(`no value of a report begins with 0x${code.toString(16)}`)
    }
  }

  requireEnd(): void {
    if (this.at < this.bytes.length) throw this.error('the value has ended, and the bytes go on')
  }

  /** Consumes that many bytes. @returns their offset */
  private take(length: number): number {
    if (length > this.bytes.length - this.at) throw this.error('the bytes end within a value')
    const from = this.at
    this.at += length
    return from
  }

  private unsigned(length: number): number {
    return this.bytes.readUIntBE(this.take(length), length)
  }

  private real(value: number): number {
    if (Number.isFinite(value)) return value
    throw this.error(`${value} isn't a JSON number`)
  }

  /** Ruby writes text without an encoding as bytes: if they aren't UTF-8, they are taken for Latin-1, as in PSON. */
  private text(length: number): string {
    const from = this.take(length)
    const piece = this.bytes.subarray(from, from + length)
    const text = piece.toString('utf8')
    return text.includes('\ufffd') && !piece.equals(Buffer.from(text))
      ? piece.toString('latin1')
      : text
  }

  /** Nothing is set aside for a length that is only claimed: each item takes a byte at least. */
  private list(length: number): Json {
    const items: Json[] = []
    this.within(() => {
      for (let index = 0; index < length; index++) items.push(this.value())
    })
    return items
  }

  private map(length: number): Json {
    const members: [string, Json][] = []
    this.within(() => {
      for (let index = 0; index < length; index++) {
        const key = this.value()
        if (typeof key !== 'string') throw this.error("a key of a map isn't text")
        members.push([key, this.value()])
      }
    })
    return Object.fromEntries(members)
  }

  private within(read: () => void): void {
    if (++this.depth > DEEPEST)
      throw this.error(`collections are nested deeper than ${DEEPEST} levels`)
    read()
    this.depth--
  }

  private error(reason: string): CommandError {
    return new CommandError(`The MessagePack can't be read: byte ${this.at}: ${reason}.`)
  }
}
