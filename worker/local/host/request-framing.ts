/**
 * Follows the requests of one HTTP/1.1 connection just as far as is needed to know where their heads
 * stand. It decides nothing but whether the client waits for `100 Continue`; workerd reads the requests
 * themselves. What it can't follow without doubt, it stops following.
 */

/** Of a head that has come whole. */
export interface Head {
  /** The client holds the body back until it is told to go on. */
  readonly expectsContinue: boolean
}

/** As workerd takes them; a longer one is its business to refuse. */
const LONGEST_HEAD = 128 * 1024
const HEAD_END = Buffer.from('\r\n\r\n')

type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'sized'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'unknown' }

export class RequestFraming {
  #state: 'head' | 'sized' | 'chunk-size' | 'chunk' | 'trailers' | 'lost' = 'head'
  #held = EMPTY
  #left = 0
  #isOver = false

  /** Whether the connection ends with the answer to a request that has come. */
  get isOver(): boolean {
    return this.#isOver || this.#state === 'lost'
  }

  /** Whether a request has begun whose end has not come yet. */
  get withinRequest(): boolean {
    return this.#state !== 'head' || this.#held.length > 0
  }

  /**
   * Takes the next bytes of the connection.
   *
   * @returns the head that they end with, if they do
   */
  take(bytes: Buffer): Head | null {
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes
    this.#held = EMPTY
    let last: Head | null = null
    while (rest.length > 0 && this.#state !== 'lost') {
      last = null
      const [used, head] = this.#step(rest)
      if (used === 0) {
        this.#hold(rest)
        return null
      }
      rest = rest.subarray(used)
      last = head
    }
    return last
  }

  #hold(rest: Buffer): void {
    if (rest.length > LONGEST_HEAD) this.#state = 'lost'
    else this.#held = Buffer.from(rest)
  }

  /** @returns how many bytes were understood, 0 where more are needed, and the head that ended with them */
  #step(rest: Buffer): readonly [used: number, head: Head | null] {
    switch (this.#state) {
      case 'head': {
        const end = rest.indexOf(HEAD_END)
        if (end === -1) return [0, null]
        const head = rest.toString('latin1', 0, end + 2)
        this.#expectBody(bodyOf(head))
        this.#isOver ||= LAST.test(head)
        return [end + HEAD_END.length, { expectsContinue: EXPECT.test(head) }]
      }
      case 'sized':
      case 'chunk': {
        const used = Math.min(this.#left, rest.length)
        this.#left -= used
        if (this.#left === 0) this.#state = this.#state === 'sized' ? 'head' : 'chunk-size'
        return [used, null]
      }
      case 'chunk-size': {
        const end = rest.indexOf('\r\n')
        if (end === -1) return [0, null]
        const size = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(rest.toString('latin1', 0, end))?.[1]
        if (size === undefined) this.#state = 'lost'
        // With the line break behind it.
        else this.#left = parseInt(size, 16) + 2
        if (this.#state !== 'lost') this.#state = this.#left === 2 ? 'trailers' : 'chunk'
        return [end + 2, null]
      }
      case 'trailers': {
        const end = rest.indexOf('\r\n')
        if (end === -1) return [0, null]
        if (end === 0) this.#state = 'head'
        return [end + 2, null]
      }
      case 'lost':
        return [rest.length, null]
    }
  }

  #expectBody(body: Body): void {
    if (body.kind === 'unknown') this.#state = 'lost'
    if (body.kind === 'chunked') this.#state = 'chunk-size'
    if (body.kind === 'sized' && body.bytes > 0) {
      this.#state = 'sized'
      this.#left = body.bytes
    }
  }
}

const EMPTY = Buffer.alloc(0)
/** HTTP/1.0, or a word for closing. */
const LAST = /^[^\r]* HTTP\/1\.0\r\n|\r\nconnection:[^\r]*\bclose\b/i
const EXPECT = /\r\nexpect:[ \t]*100-continue[ \t]*\r\n/i

/** What follows a head. One that senders and servers could read in two ways is unknown. Source: RFC 9112, section 6. */
function bodyOf(head: string): Body {
  const lengths = [...head.matchAll(/\r\ncontent-length:[ \t]*([^\r\n]*?)[ \t]*(?=\r\n)/gi)]
  const codings = [...head.matchAll(/\r\ntransfer-encoding:[ \t]*([^\r\n]*?)[ \t]*(?=\r\n)/gi)]
  const switches = /^CONNECT |\r\nupgrade:/i.test(head)
  if (switches || lengths.length + codings.length > 1) return { kind: 'unknown' }
  const [length] = lengths
  if (length) {
    const known = /^\d{1,15}$/.test(length[1]!)
    return known ? { kind: 'sized', bytes: Number(length[1]) } : { kind: 'unknown' }
  }
  const [coding] = codings
  if (coding) return { kind: coding[1]!.toLowerCase() === 'chunked' ? 'chunked' : 'unknown' }
  return { kind: 'none' }
}
