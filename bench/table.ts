/** Prints results as a Markdown table, and writes them to a file as JSON. */

import { writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { tell } from './progress.ts'

type Cell = string | number | null

/** Prints rows below their headings. Numbers are right-aligned, null is a dash. */
export function printTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const texts = rows.map((row) => row.map(cellText))
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, 3, ...texts.map((row) => row[column]!.length)),
  )
  const toRight = headings.map((_, column) => rows.some((row) => typeof row[column] === 'number'))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (toRight[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join(' | ')} |`
  const rule = widths.map((width, column) =>
    toRight[column] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  )
  console.log([line(headings), line(rule), ...texts.map(line)].join('\n'))
}

function cellText(cell: Cell): string {
  if (cell === null || (typeof cell === 'number' && Number.isNaN(cell))) return '–'
  if (typeof cell === 'string') return cell
  if (Number.isInteger(cell)) return String(cell)
  return cell.toFixed(Math.abs(cell) < 10 ? 2 : 1)
}

/** Where and when the figures were measured; they mean little without this. */
export const circumstances = () => ({
  date: new Date().toISOString(),
  node: process.version,
  machine: `${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
})

/** Writes the record to the file, if there is one. */
export async function writeJson(file: string | null, record: object): Promise<void> {
  if (file === null) return
  await writeFile(file, `${JSON.stringify({ ...circumstances(), ...record }, null, 2)}\n`)
  tell(`written to ${file}`)
}
