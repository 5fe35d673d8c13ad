/**
 * Bodies of reads, gathered before a reader gets them, as it answers one request at a time. Nobody has looked at credentials yet:
 * all bodies together have a bounded size, and where they reach it, the one that has been coming for longest is given up.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'

/** Bytes of all bodies, unless two may have more. */
const MOST_AT_ONCE = 32 * 1024 * 1024
const FIRST_CAPACITY = 4096
/**
 * Pieces after which a body has to have so many bytes in each on the average. Each takes the launcher some microseconds, and a
 * sender who means it sends a few KB at once.
 */
const MANY_PIECES = 10_000
const LEAST_PIECE = 8

/** `too large` for any read; its first bytes go on. `too fine` and `no room`: given up. */
export type Gathered =
  | { readonly kind: 'whole' | 'too large'; readonly body: Buffer }
  | { readonly kind: 'too fine' | 'no room' }

interface Gathering {
  /** Its length as the head says it; Infinity where it does not. */
  readonly declared: number
  buffer: Buffer
  length: number
  pieces: number
  /** Ends it; absent once the body is whole. */
  giveUp?: (kind: 'too fine' | 'no room') => void
}

/** Whether a body comes in pieces that are too small. */
export const isTooFine = (pieces: number, bytes: number): boolean =>
  pieces > MANY_PIECES && bytes < pieces * LEAST_PIECE

export class GatheredBodies {
  /** In the order of their arrival; until the answer has been sent. */
  readonly #all = new Set<Gathering>()
  #bytes = 0

  /** @param longest bytes of the longest body that the service takes of a read */
  constructor(private readonly longest: number) {}

  /** Gathers a body, and keeps it until its answer has been sent. Never resolves where the client leaves before. */
  gather(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Gathered> {
    return new Promise((resolve) => {
      const declared = Number(incoming.headers['content-length'] ?? Infinity)
      const one: Gathering = { declared, buffer: Buffer.alloc(0), length: 0, pieces: 0 }
      const settle = (gathered: Gathered): void => {
        delete one.giveUp
        incoming.off('data', take)
        incoming.off('end', end)
        incoming.pause()
        resolve(gathered)
      }
      const body = (): Buffer => one.buffer.subarray(0, one.length)
      const end = (): void => settle({ kind: 'whole', body: body() })
      const take = (piece: Buffer): void => {
        one.pieces++
        if (isTooFine(one.pieces, one.length)) return settle({ kind: 'too fine' })
        if (!this.#append(one, piece)) return
        if (one.length > this.longest) settle({ kind: 'too large', body: body() })
      }
      one.giveUp = (kind) => {
        this.#release(one)
        settle({ kind })
      }
      this.#all.add(one)
      outgoing.once('close', () => this.#release(one))
      incoming.on('data', take)
      incoming.on('end', end)
    })
  }

  /** @returns whether the body is still gathered */
  #append(one: Gathering, piece: Buffer): boolean {
    const length = one.length + piece.length
    if (length > one.buffer.length) {
      const doubled = Math.max(FIRST_CAPACITY, one.buffer.length * 2)
      const capacity = Math.max(length, Math.min(doubled, one.declared))
      if (!this.#makeRoom(capacity - one.buffer.length, one)) return false
      this.#bytes += capacity - one.buffer.length
      const buffer = Buffer.allocUnsafeSlow(capacity)
      one.buffer.copy(buffer, 0, 0, one.length)
      one.buffer = buffer
    }
    piece.copy(one.buffer, one.length)
    one.length = length
    return true
  }

  /** Gives up others that have been coming for longer, then the body itself. */
  #makeRoom(bytes: number, one: Gathering): boolean {
    const most = Math.max(MOST_AT_ONCE, 2 * this.longest)
    for (const other of this.#all) {
      if (this.#bytes + bytes <= most) return true
      if (other !== one) other.giveUp?.('no room')
    }
    if (this.#bytes + bytes <= most) return true
    one.giveUp?.('no room')
    return false
  }

  #release(one: Gathering): void {
    if (!this.#all.delete(one)) return
    this.#bytes -= one.buffer.length
    one.buffer = Buffer.alloc(0)
  }
}
