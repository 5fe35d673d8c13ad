/** Hashes of reports in 28 bytes each, as a day of a large fleet has a million: a Set takes four times as many. */

import { bytesOfHex, hexOfBytes } from '../sql/encoding.ts'

const BYTES = 20
/** Digits that a number holds exactly. */
const PREFIX = 13

const prefixOf = (hash: string): number => Number.parseInt(hash.slice(0, PREFIX), 16)

export class HashSet {
  /** In their order. */
  readonly #prefixes: Float64Array
  readonly #bytes: Uint8Array

  /** @param hashes of 40 hexadecimal digits */
  constructor(hashes: readonly string[]) {
    const sorted = hashes.toSorted()
    this.#prefixes = Float64Array.from(sorted, prefixOf)
    this.#bytes = bytesOfHex(sorted.join(''))
  }

  has(hash: string): boolean {
    const prefix = prefixOf(hash)
    const prefixes = this.#prefixes
    let [first, end] = [0, prefixes.length]
    while (first < end) {
      const middle = (first + end) >>> 1
      if (prefixes[middle]! < prefix) first = middle + 1
      else end = middle
    }
    for (; prefixes[first] === prefix; first++)
      if (hexOfBytes(this.#bytes.subarray(first * BYTES, (first + 1) * BYTES)) === hash) return true
    return false
  }
}
