/** Lists travel to D1 as JSON texts, read there by json_each: one parameter whatever their length. */

import { LONGEST_LIST } from '../sql/limits.ts'

/**
 * The entries as JSON arrays in as few texts as D1's longest value allows; none for no entries.
 * A single entry that is longer stands alone.
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
