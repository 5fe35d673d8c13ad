/**
 * Compares texts by code points, as SQLite and Parquet do by bytes. By UTF-16, as JavaScript does it, characters beyond U+FFFF come before
 * those from U+E000 on.
 */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  const length = Math.min(one.length, other.length)
  let at = 0
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return rankAt(one, at) - rankAt(other, at)
}

/** The end comes first, and halves of characters beyond U+FFFF last. */
function rankAt(text: string, at: number): number {
  if (at === text.length) return -1
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
}
