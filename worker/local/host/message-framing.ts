/**
 * Finds where the messages of one direction of an HTTP/1.1 connection begin and end. It stops as soon as
 * a message is ambiguous.
 */

/** The body that follows a head. */
export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'sized'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** Can't be followed: the length is ambiguous, or the body ends with the connection. */
  | { readonly kind: 'unknown' }

export const NO_BODY: Body = { kind: 'none' }
export const UNKNOWN_BODY: Body = { kind: 'unknown' }

/** workerd's limit; workerd refuses longer ones itself. */
const LONGEST_HEAD = 128 * 1024
const LINE_BREAK = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')
const EMPTY = Buffer.alloc(0)

export interface MessageObserver {
  /** Gets each head, from its first line to the line break of its last. @returns the body that follows */
  readonly onHead: (head: string) => Body
  readonly onEnd: () => void
  /** Gets the bytes of chunked bodies, without their framing. */
  readonly onChunk?: (bytes: Buffer) => void
}

export class MessageFraming {
  #state: 'head' | 'sized' | 'chunk-size' | 'chunk' | 'trailers' | 'lost' = 'head'
  /** The bytes of an incomplete head or line, followed by room for more. */
  #held = EMPTY
  #heldBytes = 0
  /** Bytes of the body, or of the chunk, that have not come yet. */
  #left = 0

  constructor(private readonly observer: MessageObserver) {}

  /** Whether it has stopped following the connection. */
  get isLost(): boolean {
    return this.#state === 'lost'
  }

  /** Whether a head has begun but not ended yet. */
  get isWithinHead(): boolean {
    return this.#state === 'head' && this.#heldBytes > 0
  }

  /** Whether a message has begun but not ended yet. */
  get isWithinMessage(): boolean {
    return this.#state !== 'head' || this.#heldBytes > 0
  }

  /** Whether a body of a known length is not complete yet. */
  get isWithinSizedBody(): boolean {
    return this.#state === 'sized'
  }

  /** Bytes of a body of a known length that have not come yet; null outside such a body. */
  get bytesLeft(): number | null {
    return this.#state === 'sized' ? this.#left : null
  }

  /**
   * Processes the next bytes of the connection.
   *
   * @returns whether they end with a head
   */
  take(bytes: Buffer): boolean {
    let endsWithHead = false
    for (let rest = bytes; rest.length > 0;) {
      const taken = this.takeMessage(rest)
      rest = rest.subarray(taken.used)
      endsWithHead = taken.endsWithHead
    }
    return endsWithHead
  }

  /**
   * Processes the next bytes of the connection, at most to the end of the message under way.
   *
   * @returns how many, and whether these end with a head
   */
  takeMessage(bytes: Buffer): { readonly used: number; readonly endsWithHead: boolean } {
    let rest = this.#heldBytes > 0 ? this.#completed(bytes) : bytes
    let endsWithHead = false
    while (rest.length > 0 && this.#state !== 'lost') {
      const inHead = this.#state === 'head'
      const used = this.#step(rest)
      if (used === 0) {
        this.#hold(rest)
        return { used: bytes.length, endsWithHead: false }
      }
      rest = rest.subarray(used)
      endsWithHead = inHead
      if (this.#state === 'head') break
    }
    if (this.isLost) return { used: bytes.length, endsWithHead: false }
    return { used: bytes.length - rest.length, endsWithHead }
  }

  /**
   * The held bytes and these, once they are complete; nothing before. Only the new bytes are searched and copied: a
   * sender may send a head byte by byte.
   */
  #completed(bytes: Buffer): Buffer {
    const end = this.#state === 'head' ? HEAD_END : LINE_BREAK
    const from = Math.max(0, this.#heldBytes - end.length + 1)
    this.#hold(bytes)
    const held = this.#held.subarray(0, this.#heldBytes)
    if (!held.includes(end, from)) return EMPTY
    this.#held = EMPTY
    this.#heldBytes = 0
    return held
  }

  #hold(bytes: Buffer): void {
    const length = this.#heldBytes + bytes.length
    if (length > LONGEST_HEAD) {
      this.#state = 'lost'
      this.#held = EMPTY
      this.#heldBytes = 0
      return
    }
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#held.length))
      this.#held.copy(larger, 0, 0, this.#heldBytes)
      this.#held = larger
    }
    bytes.copy(this.#held, this.#heldBytes)
    this.#heldBytes = length
  }

  /** @returns how many bytes were consumed; 0 if more are needed */
  #step(rest: Buffer): number {
    switch (this.#state) {
      case 'head': {
        const end = rest.indexOf(HEAD_END)
        if (end === -1) return 0
        this.#expect(this.observer.onHead(rest.toString('latin1', 0, end + 2)))
        return end + HEAD_END.length
      }
      case 'sized':
      case 'chunk': {
        const used = Math.min(this.#left, rest.length)
        if (this.#state === 'chunk')
          this.observer.onChunk?.(rest.subarray(0, Math.min(this.#left - LINE_BREAK.length, used)))
        this.#left -= used
        if (this.#left > 0) return used
        if (this.#state === 'sized') this.#end()
        else this.#state = 'chunk-size'
        return used
      }
      case 'chunk-size': {
        const end = rest.indexOf(LINE_BREAK)
        if (end === -1) return 0
        const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(rest.toString('latin1', 0, end))?.[1]
        if (size === undefined) this.#state = 'lost'
        else {
          // Including the line break after it.
          this.#left = parseInt(size, 16) + 2
          this.#state = this.#left === 2 ? 'trailers' : 'chunk'
        }
        return end + 2
      }
      case 'trailers': {
        const end = rest.indexOf(LINE_BREAK)
        if (end === -1) return 0
        if (end === 0) this.#end()
        return end + 2
      }
      case 'lost':
        return rest.length
    }
  }

  #expect(body: Body): void {
    if (body.kind === 'unknown') this.#state = 'lost'
    else if (body.kind === 'chunked') this.#state = 'chunk-size'
    else if (body.kind === 'sized' && body.bytes > 0) {
      this.#state = 'sized'
      this.#left = body.bytes
    } else this.#end()
  }

  #end(): void {
    this.#state = 'head'
    this.observer.onEnd()
  }
}

/** workerd takes half a line break for a whole one, and so finds headers where RFC 9112 has none. */
const BARE_LINE_BREAK = /\r(?!\n)|(?<!\r)\n/

/** The body that the length and coding headers announce; null without such headers. Source: RFC 9112, section 6. */
export function announcedBody(head: string): Body | null {
  if (BARE_LINE_BREAK.test(head)) return UNKNOWN_BODY
  const lines = head.split('\r\n')
  const lengths = lines.flatMap((line) => valueOfHeader(line, 'content-length') ?? [])
  const codings = lines.flatMap((line) => valueOfHeader(line, 'transfer-encoding') ?? [])
  if (lengths.length + codings.length > 1) return UNKNOWN_BODY
  const [length] = lengths
  if (length !== undefined) {
    return /^\d{1,15}$/.test(length) ? { kind: 'sized', bytes: Number(length) } : UNKNOWN_BODY
  }
  const [coding] = codings
  if (coding === undefined) return null
  return coding.toLowerCase() === 'chunked' ? { kind: 'chunked' } : UNKNOWN_BODY
}

/**
 * The value of a line of a head, if the line is the named header. Blanks are skipped by hand: a pattern that finds
 * the last of them tries each run of blanks again, and heads are read before any credentials.
 */
function valueOfHeader(line: string, name: string): string | null {
  if (line.slice(0, name.length).toLowerCase() !== name) return null
  const colon = skipBlanks(line, name.length)
  if (line[colon] !== ':') return null
  const start = skipBlanks(line, colon + 1)
  let end = line.length
  while (end > start && isBlank(line[end - 1])) end -= 1
  return line.slice(start, end)
}

function skipBlanks(line: string, start: number): number {
  let at = start
  while (isBlank(line[at])) at += 1
  return at
}

const isBlank = (character: string | undefined): boolean => character === ' ' || character === '\t'
