// Reads JSON token by token, without changing one.
import { inspect } from 'node:util'
import { count } from './values.js'

/** Token kinds; those below OPEN end the scan. Commas and colons are checked, and no tokens. */
export const [END, BAD, OPEN, CLOSE, KEY, STRING, NUMBER, WORD] = [0, 1, 2, 3, 4, 5, 6, 7] as const

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [TRUE, FALSE, NULL] = ['true', 'false', 'null'].map((word) => Buffer.from(word))

/** A table of 256 with 1 for each of these bytes. */
function tableOf(bytes: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of Buffer.from(bytes)) table[byte] = 1
  return table
}
const IS_BLANK = tableOf('\t\n\r ')
const IS_ESCAPE = tableOf('"\\/bfnrt')

// 1 where a byte inside a string needs no look. Those that begin characters are of Latin, Cyrillic and
// Chinese script; the others begin some character that is escaped.
const PLAIN = new Uint8Array(256).fill(1, 0x20, 0xc0)
PLAIN.fill(1, 0xc3, 0xcd).fill(1, 0xd0, 0xd4).fill(1, 0xe4, 0xea)
for (const byte of [QUOTE, BACKSLASH, 0x7f]) PLAIN[byte] = 0

// Behind the end there is no byte, and no comparison holds.
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
const isHex = (byte: number) => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)

// The byte that closes each open container, by depth, two behind its opener. Shared, since a scan is
// never interrupted by another.
let containers = new Uint8Array(1024)

/**
 * Walks JSON text (RFC 8259, valid UTF-8) token by token without recursion, so that no depth of
 * nesting can overflow the stack, and without turning a token into a value, so that none changes.
 */
export class JsonScanner {
  start = 0
  end = 0
  /** Open containers around the next token. */
  depth = 0
  /** The token is the first behind the opening bracket around it, if only that which closes it. */
  isFirst = true
  /** The string holds a byte with which a character may begin that can drive a terminal. */
  isDoubtful = false
  /** Where and why the text is not JSON, after BAD. */
  error: { readonly offset: number; readonly reason: string } | null = null

  private last: number = END

  constructor(private readonly bytes: Buffer) {
    if (bytes.length > containers.length) containers = new Uint8Array(bytes.length)
  }

  /** Moves to the next token, bytes `start` to `end`, and gives its kind. */
  next(): number {
    return (this.last = this.read(this.last))
  }

  private read(last: number): number {
    let byte = this.skip(this.end)
    this.isFirst = last === OPEN
    this.isDoubtful = false
    if (last === KEY) {
      if (byte !== 0x3a) return this.expected("':' after the key")
      byte = this.skip(this.start + 1)
    } else if (this.depth > 0) {
      const closer = containers[this.depth - 1]
      if (!this.isFirst && byte === 0x2c) byte = this.skip(this.start + 1)
      else if (byte === closer) {
        this.end = this.start + 1
        this.depth--
        return CLOSE
      } else if (!this.isFirst) return this.expected(`',' or '${String.fromCharCode(closer)}'`)
      if (closer === 0x7d) {
        return byte === QUOTE ? this.string(KEY) : this.expected('a key in double quotes')
      }
    } else if (last !== END) {
      return this.start < this.bytes.length ? this.expected('the end after the value') : END
    }
    if (byte === QUOTE) return this.string(STRING)
    if (byte === 0x7b || byte === 0x5b) {
      containers[this.depth++] = byte + 2
      this.end = this.start + 1
      return OPEN
    }
    if (byte === 0x2d || isDigit(byte)) return this.number()
    return this.word(byte)
  }

  /** Moves behind blanks; gives the byte there. */
  private skip(i: number): number {
    const { bytes } = this
    while (i < bytes.length && IS_BLANK[bytes[i]] === 1) i++
    this.start = i
    return bytes[i]
  }

  private string(kind: number): number {
    const { bytes } = this
    let i = this.start + 1
    for (;;) {
      while (PLAIN[bytes[i]] === 1) i++
      const byte = bytes[i]
      if (byte === QUOTE) break
      if (i >= bytes.length) return this.expected('a closing quote', i)
      const length = byte < 0x20 ? 0 : byte === BACKSLASH ? this.escapeLength(i) : 1
      if (length === 0) return this.expected('an escape of JSON', i)
      if (byte > BACKSLASH) this.isDoubtful = true
      i += length
    }
    this.end = i + 1
    return kind
  }

  /** How long the escape is that begins at `i`; 0 where it is none. */
  private escapeLength(i: number): number {
    const { bytes } = this
    if (bytes[i + 1] !== 0x75) return IS_ESCAPE[bytes[i + 1]] === 1 ? 2 : 0
    for (let at = i + 2; at < i + 6; at++) if (!isHex(bytes[at])) return 0
    return 6
  }

  private word(byte: number): number {
    const word = byte === 0x74 ? TRUE : byte === 0x66 ? FALSE : NULL
    for (let i = 0; i < word.length; i++) {
      if (this.bytes[this.start + i] !== word[i]) return this.expected('a value')
    }
    this.end = this.start + word.length
    return WORD
  }

  private number(): number {
    const { bytes } = this
    const first = bytes[this.start] === 0x2d ? this.start + 1 : this.start
    // Behind a zero, another digit is not of the number.
    let i = bytes[first] === 0x30 ? first + 1 : this.digits(first)
    if (bytes[i] === 0x2e) i = this.digits(i + 1)
    if ((bytes[i] | 0x20) === 0x65) {
      i = this.digits(bytes[i + 1] === 0x2b || bytes[i + 1] === 0x2d ? i + 2 : i + 1)
    }
    if (this.error) return BAD
    this.end = i
    return NUMBER
  }

  /** Moves behind at least one digit. */
  private digits(i: number): number {
    const { bytes } = this
    if (!isDigit(bytes[i])) this.expected('a digit', i)
    while (isDigit(bytes[i])) i++
    return i
  }

  private expected(what: string, i = this.start): number {
    const { depth, bytes } = this
    const [character] = bytes.toString('utf8', i, i + 4)
    const open = depth === 0 ? '' : `, with ${count(depth, 'bracket')} still open`
    const found = character ? inspect(character) : `the end${open}`
    this.error = { offset: i, reason: `expected ${what}, found ${found}` }
    this.end = bytes.length
    return BAD
  }
}

/** 'line 3 column 7', counted from 1, columns in characters. */
export function position(bytes: Buffer, offset: number): string {
  const lines = bytes.toString('utf8', 0, offset).split('\n')
  return `line ${lines.length} column ${[...lines.at(-1)!].length + 1}`
}
