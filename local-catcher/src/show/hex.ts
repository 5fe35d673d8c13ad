/** Bytes in a row, and characters of a full one. */
export const ROW = 16
export const ROW_WIDTH = 79

/** Rows of 16 bytes: offset, hex in two groups of eight, printable ASCII; a newline after each. */
export function hexRows(bytes: Buffer): string {
  let rows = ''
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = bytes.subarray(at, at + ROW)
    const hex = row
      .toString('hex')
      .replace(/../g, '$& ')
      .padEnd(3 * ROW)
    const text = row.toString('latin1').replace(/[^ -~]/g, '.')
    rows += `${at.toString(16).padStart(8, '0')}  ${hex.slice(0, 24)} ${hex.slice(24)} |${text}|\n`
  }
  return rows
}
