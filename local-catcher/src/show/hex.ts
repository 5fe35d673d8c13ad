const ROW = 16

/** Rows of 16 bytes: offset, hex in two groups of eight, printable ASCII; a newline after each. */
export function hexRows(bytes: Uint8Array): string {
  const rows: string[] = []
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = Array.from(bytes.subarray(at, at + ROW))
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0'))
    const left = hex.slice(0, 8).join(' ').padEnd(23)
    const right = hex.slice(8).join(' ').padEnd(23)
    const ascii = row.map((b) => (b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : '.')).join('')
    rows.push(`${at.toString(16).padStart(8, '0')}  ${left}  ${right}  |${ascii}|\n`)
  }
  return rows.join('')
}

/** How many bytes fit into `limit` bytes of printed rows: a full row is 79 characters. */
export const hexCapacity = (limit: number): number => Math.max(ROW, Math.floor(limit / 79) * ROW)
