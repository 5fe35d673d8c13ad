/** Splits lists into JSON texts that SQL reads by json_each: a list is one parameter, regardless of its length. */

import { LONGEST_LIST } from '../sql/limits.ts'

/**
 * The entries as JSON arrays, in as few texts as D1's longest value allows; no text for no entries.
 * An entry that is too long has a separate text.
 */
export function inLists(entries: readonly unknown[]): string[] {
  const lists: string[] = []
  let pieces: string[] = []
  let bytes = 0
  const close = () => {
    if (pieces.length > 0) lists.push(`[${pieces.join(',')}]`)
    pieces = []
    bytes = 0
  }
  for (const entry of entries) {
    const piece = JSON.stringify(entry)
    const size = Buffer.byteLength(piece) + 1
    if (bytes + size > LONGEST_LIST) close()
    pieces.push(piece)
    bytes += size
  }
  close()
  return lists
}
