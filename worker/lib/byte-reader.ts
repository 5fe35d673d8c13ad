/** Reads a stream of bytes by length or up to a marker, and buffers no more than the caller asked for. */

import { Buffer } from 'node:buffer'

/** Bytes that the reader searches for a marker before it gives up; it also hands out no longer piece. */
const PIECE = 65_536

export class ByteReader {
  private held: Buffer = Buffer.alloc(0)
  private readonly source: AsyncIterator<Uint8Array>

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.source = bytes[Symbol.asyncIterator]()
  }

  /** Reads more of the stream into the buffer; false at the end of the stream. */
  private async fill(): Promise<boolean> {
    const next = await this.source.next()
    if (next.done) return false
    const { buffer, byteOffset, byteLength } = next.value
    const piece = Buffer.from(buffer, byteOffset, byteLength)
    this.held = this.held.length === 0 ? piece : Buffer.concat([this.held, piece])
    return true
  }

  private take(length: number): Buffer {
    const taken = this.held.subarray(0, length)
    this.held = this.held.subarray(length)
    return taken
  }

  /** The next `length` bytes, or fewer at the end of the stream. */
  async read(length: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    let missing = length
    for await (const piece of this.pieces(length)) {
      pieces.push(piece)
      missing -= piece.length
    }
    return pieces.length === 1 && missing === 0 ? pieces[0]! : Buffer.concat(pieces)
  }

  /** The next `length` bytes in pieces, or fewer at the end of the stream. */
  async *pieces(length: number): AsyncGenerator<Buffer> {
    let missing = length
    while (missing > 0 && (this.held.length > 0 || (await this.fill()))) {
      const piece = this.take(Math.min(missing, this.held.length))
      missing -= piece.length
      yield piece
    }
  }

  /**
   * All bytes up to the marker, in pieces. Reads the marker too, but does not return it.
   *
   * @returns whether the marker was found before the stream ended
   */
  async *until(mark: Uint8Array): AsyncGenerator<Buffer, boolean> {
    for (;;) {
      const at = this.held.indexOf(mark)
      if (at >= 0) {
        if (at > 0) yield this.take(at)
        this.take(mark.length)
        return true
      }
      // The marker may begin at the end of the buffer.
      const safe = this.held.length - (mark.length - 1)
      if (safe > PIECE) yield this.take(safe)
      if (!(await this.fill())) {
        if (this.held.length > 0) yield this.take(this.held.length)
        return false
      }
    }
  }

  /** Cancels the stream. */
  async close(): Promise<void> {
    await this.source.return?.(undefined)
  }
}
