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
const HEAD_END = Buffer.from('\r\n\r\n')
const EMPTY = Buffer.alloc(0)

export interface MessageObserver {
  /** Gets each head, from its first line to the line break of its last. @returns the body that follows */
  readonly onHead: (head: string) => Body
  readonly onEnd: () => void
}

export class MessageFraming {
  #state: 'head' | 'sized' | 'chunk-size' | 'chunk' | 'trailers' | 'lost' = 'head'
  #held = EMPTY
  #left = 0

  constructor(private readonly observer: MessageObserver) {}

  /** Whether it has stopped following the connection. */
  get isLost(): boolean {
    return this.#state === 'lost'
  }

  /** Whether a head has begun but not ended yet. */
  get isWithinHead(): boolean {
    return this.#state === 'head' && this.#held.length > 0
  }

  /** Whether a message has begun but not ended yet. */
  get isWithinMessage(): boolean {
    return this.#state !== 'head' || this.#held.length > 0
  }

  /** Whether a body of a known length is not complete yet. */
  get isWithinSizedBody(): boolean {
    return this.#state === 'sized'
  }

  /**
   * Processes the next bytes of the connection.
   *
   * @returns whether they end with a head
   */
  take(bytes: Buffer): boolean {
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes
    this.#held = EMPTY
    let endsWithHead = false
    while (rest.length > 0 && this.#state !== 'lost') {
      const inHead = this.#state === 'head'
      const used = this.#step(rest)
      if (used === 0) {
        this.#hold(rest)
        return false
      }
      rest = rest.subarray(used)
      endsWithHead = inHead
    }
    return endsWithHead && rest.length === 0
  }

  #hold(rest: Buffer): void {
    if (rest.length > LONGEST_HEAD) this.#state = 'lost'
    else this.#held = Buffer.from(rest)
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
        this.#left -= used
        if (this.#left > 0) return used
        if (this.#state === 'sized') this.#end()
        else this.#state = 'chunk-size'
        return used
      }
      case 'chunk-size': {
        const end = rest.indexOf('\r\n')
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
        const end = rest.indexOf('\r\n')
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
  const lengths = [...head.matchAll(/\r\ncontent-length[ \t]*:[ \t]*([^\r\n]*?)[ \t]*(?=\r\n)/gi)]
  const codings = [
    ...head.matchAll(/\r\ntransfer-encoding[ \t]*:[ \t]*([^\r\n]*?)[ \t]*(?=\r\n)/gi),
  ]
  if (lengths.length + codings.length > 1) return UNKNOWN_BODY
  const [length] = lengths
  if (length) {
    const isNumber = /^\d{1,15}$/.test(length[1]!)
    return isNumber ? { kind: 'sized', bytes: Number(length[1]) } : UNKNOWN_BODY
  }
  const [coding] = codings
  if (coding) return coding[1]!.toLowerCase() === 'chunked' ? { kind: 'chunked' } : UNKNOWN_BODY
  return null
}
