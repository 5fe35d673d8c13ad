/**
 * Finds the mark at the end of a body that failed. workerd ends a chunked body whose stream fails as if it were whole;
 * the Worker therefore ends it with this mark, and the launcher cuts the connection where it comes.
 */

import { randomBytes } from 'node:crypto'

/** Random, so that no stored text can contain it: one per launcher, as its runtime gets it. */
export const FAILURE_MARK = `[failed ${randomBytes(24).toString('hex')}]`

const MARK = Buffer.from(FAILURE_MARK)

export class FailureMarkFinder {
  /** The last bytes of the body so far, fewer than the mark. */
  #tail: Buffer = Buffer.alloc(0)

  /** @param bytes the next of the body, without its framing @returns whether the body so far ends with the mark */
  take(bytes: Buffer): boolean {
    if (bytes.length >= MARK.length) this.#tail = bytes.subarray(-MARK.length)
    else this.#tail = Buffer.concat([this.#tail, bytes]).subarray(-MARK.length)
    return this.#tail.equals(MARK)
  }
}

/** What came before the mark, of bytes that end a failed body. Empty where part of the mark was in earlier bytes. */
export function beforeMark(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf(MARK)
  return at === -1 ? bytes.subarray(0, 0) : bytes.subarray(0, at)
}
