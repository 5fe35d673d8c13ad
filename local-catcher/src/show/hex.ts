/** Bytes in a row, and characters of a full one. */
export const ROW = 16
export const ROW_WIDTH = 79

/** Rows of 16 bytes: offset, hex in two groups of eight, printable ASCII; a newline after each. */
export function hexRows(bytes: Buffer): string {
  const rows = bytes.toString('latin1').match(/[^]{1,16}/g) ?? []
  const lines = rows.map((row, index) => {
    const offset = (index * ROW).toString(16).padStart(8, '0')
    const hex = Buffer.from(row, 'latin1')
      .toString('hex')
      .replace(/../g, '$& ')
      .padEnd(3 * ROW)
    return `${offset}  ${hex.slice(0, 24)} ${hex.slice(24)} |${row.replace(/[^ -~]/g, '.')}|\n`
  })
  return lines.join('')
}
