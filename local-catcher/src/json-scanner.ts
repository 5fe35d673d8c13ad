// Reads JSON token by token, without changing one.
import { inspect } from 'node:util'

/** Token kinds; everything below OPEN ends the scan. */
export const [END, BAD, OPEN, CLOSE, COMMA, COLON, STRING, NUMBER, WORD] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
] as const

const [VALUE, VALUE_OR_CLOSE, KEY, KEY_OR_CLOSE, AWAIT_COLON, AFTER_VALUE, DONE] = [
  0, 1, 2, 3, 4, 5, 6,
]

/** What some senders put before UTF-8 text; no part of the JSON. */
export const BOM = Buffer.from('\ufeff')

const QUOTE = 0x22
const BACKSLASH = 0x5c
const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word))

// 1 where a byte inside a string needs no look; 0xC2 and 0xE2 may begin C1 or bidi characters.
const PLAIN = new Uint8Array(256).fill(1, 0x20)
for (const byte of [QUOTE, BACKSLASH, 0x7f, 0xc2, 0xe2]) PLAIN[byte] = 0

const IS_BLANK = new Uint8Array(256)
for (const byte of [0x09, 0x0a, 0x0d, 0x20]) IS_BLANK[byte] = 1

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
  /** The token is the key of an object. */
  isKey = false
  /** The string holds a byte with which a character may begin that can drive a terminal. */
  isDoubtful = false
  /** Where and why the text is not JSON, after BAD. */
  error: { readonly offset: number; readonly reason: string } | null = null

  private state = VALUE

  constructor(private readonly bytes: Buffer) {
    if (bytes[0] === BOM[0] && bytes.subarray(0, BOM.length).equals(BOM)) this.end = BOM.length
    if (bytes.length > containers.length) containers = new Uint8Array(bytes.length)
  }

  /** Moves to the next token, bytes `start` to `end`, and gives its kind. */
  next(): number {
    const { bytes } = this
    let i = this.end
    while (i < bytes.length && IS_BLANK[bytes[i]] === 1) i++
    this.start = i
    this.end = i + 1
    this.isKey = false
    const state = this.state
    if (i >= bytes.length) return state === DONE ? END : this.fail(i, this.missing())
    const byte = bytes[i]
    switch (state) {
      case AFTER_VALUE:
        if (byte === 0x2c) {
          this.state = containers[this.depth - 1] === 0x7d ? KEY : VALUE
          return COMMA
        }
        return this.close(byte)
      case AWAIT_COLON:
        if (byte !== 0x3a) return this.expected("':' after the key", i)
        this.state = VALUE
        return COLON
      case KEY:
      case KEY_OR_CLOSE:
        if (byte === QUOTE) {
          this.isKey = true
          this.state = AWAIT_COLON
          return this.string()
        }
        if (state === KEY_OR_CLOSE && byte === 0x7d) return this.close(byte)
        return this.expected('a key in double quotes', i)
      case DONE:
        return this.expected('the end after the value', i)
      default:
        if (state === VALUE_OR_CLOSE && byte === 0x5d) return this.close(byte)
        return this.value(byte)
    }
  }

  private value(byte: number): number {
    if (byte === 0x7b || byte === 0x5b) {
      containers[this.depth++] = byte + 2
      this.state = byte === 0x7b ? KEY_OR_CLOSE : VALUE_OR_CLOSE
      return OPEN
    }
    this.state = this.depth === 0 ? DONE : AFTER_VALUE
    if (byte === QUOTE) return this.string()
    if (byte === 0x2d || isDigit(byte)) return this.number()
    const word = WORDS.find((each) => each.every((c, i) => this.bytes[this.start + i] === c))
    if (!word) return this.expected('a value', this.start)
    this.end = this.start + word.length
    return WORD
  }

  private close(byte: number): number {
    const closer = containers[this.depth - 1]
    if (byte !== closer) {
      return this.expected(`',' or '${String.fromCharCode(closer)}'`, this.start)
    }
    this.depth--
    this.state = this.depth === 0 ? DONE : AFTER_VALUE
    return CLOSE
  }

  private string(): number {
    const { bytes } = this
    const { length } = bytes
    let i = this.start + 1
    this.isDoubtful = false
    for (;;) {
      while (i < length && PLAIN[bytes[i]] === 1) i++
      if (i >= length) return this.fail(i, 'the text ends inside a string')
      const byte = bytes[i]
      if (byte === QUOTE) break
      if (byte === BACKSLASH) {
        const length = this.escapeLength(i)
        if (length === 0) return this.fail(i, 'a backslash that begins no escape of JSON')
        i += length
      } else if (byte < 0x20) {
        const code = byte.toString(16).padStart(2, '0')
        return this.fail(i, `a raw control character (0x${code}) in a string`)
      } else {
        this.isDoubtful = true
        i++
      }
    }
    this.end = i + 1
    return STRING
  }

  private escapeLength(i: number): number {
    const { bytes } = this
    const letter = bytes[i + 1]
    if (letter === 0x75) return [2, 3, 4, 5].every((at) => isHex(bytes[i + at])) ? 6 : 0
    return '"\\/bfnrt'.includes(String.fromCharCode(letter)) ? 2 : 0
  }

  private number(): number {
    const { bytes } = this
    let i = bytes[this.start] === 0x2d ? this.start + 1 : this.start
    if (bytes[i] === 0x30 && isDigit(bytes[i + 1])) {
      return this.fail(i, 'a number with a leading zero')
    }
    // The whole part, then a fraction, then an exponent: digits behind what announces them.
    for (const mark of [0, 0x2e, 0x65]) {
      if (mark > 0 && bytes[i] !== mark && !(mark === 0x65 && bytes[i] === 0x45)) continue
      if (mark > 0) i++
      if (mark === 0x65 && (bytes[i] === 0x2b || bytes[i] === 0x2d)) i++
      if (!isDigit(bytes[i])) return this.expected('a digit', i)
      while (isDigit(bytes[i])) i++
    }
    this.end = i
    return NUMBER
  }

  private fail(offset: number, reason: string): number {
    this.error = { offset, reason }
    this.end = this.bytes.length
    return BAD
  }

  private missing(): string {
    if (this.depth === 0) return 'the text ends before a value'
    return `the text ends with ${this.depth} bracket${this.depth === 1 ? '' : 's'} still open`
  }

  private expected(what: string, i: number): number {
    const [character] = this.bytes.toString('utf8', i, i + 4)
    return this.fail(i, `expected ${what}, found ${character ? inspect(character) : 'the end'}`)
  }
}

/** 'line 3 column 7', counted from 1, columns in characters. */
export function position(bytes: Buffer, offset: number): string {
  const lines = bytes.toString('utf8', 0, offset).split('\n')
  return `line ${lines.length} column ${[...lines.at(-1)!].length + 1}`
}
