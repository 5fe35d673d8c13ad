/** Rows as a text, page by page: a JSON array, a line of JSON each, or CSV. */

import type { Json } from '../lib/json.ts'
import { isRecord, jsonText, parseJson } from '../lib/lossless.ts'
import { prettyJson } from '../lib/pretty.ts'
import type { Form } from './accept.ts'
import { failureLine, type FailurePiece } from './stream.ts'

/** JSON texts of rows, a bounded number at a time. */
export type Pages = AsyncIterable<readonly string[]> | Iterable<readonly string[]>

interface RowsOptions {
  readonly pretty: boolean
  /** Names of the fields of a row; null to take them from the first row. */
  readonly columns: readonly string[] | null
}

interface RowForm {
  /** Its media type. */
  readonly type: string
  readonly text: (pages: Pages, options: RowsOptions) => AsyncGenerator<string>
  /** Absent where a text that breaks off can't say so, and the connection breaks with it. */
  readonly failurePiece?: FailurePiece
}

export const ROW_FORMS: Readonly<Record<Form, RowForm>> = {
  json: { type: 'application/json;charset=utf-8', text: arrayText },
  ndjson: { type: 'application/x-ndjson;charset=utf-8', text: lines, failurePiece: failureLine },
  csv: { type: 'text/csv;charset=utf-8;header=present', text: csv },
}

async function* arrayText(pages: Pages, { pretty }: RowsOptions): AsyncGenerator<string> {
  const separator = pretty ? ', ' : ','
  let before = pretty ? '[ ' : '['
  for await (const page of pages) {
    if (page.length === 0) continue
    const rows = pretty ? page.map((row) => prettyJson(row)) : page
    yield before + rows.join(separator)
    before = separator
  }
  const empty = before !== separator
  yield empty ? `${before}]` : pretty ? ' ]' : ']'
}

async function* lines(pages: Pages): AsyncGenerator<string> {
  for await (const page of pages) {
    if (page.length > 0) yield `${page.join('\n')}\n`
  }
}

/** RFC 4180: a line of the fields' names, then a line a row, ended by CRLF. The names go with the first rows. */
async function* csv(pages: Pages, { columns }: RowsOptions): AsyncGenerator<string> {
  const line = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`
  let names = columns
  let head = true
  for await (const page of pages) {
    const rows = page.map((text) => parseJson(text)).filter(isRecord)
    names ??= Object.keys(rows[0] ?? {})
    const lines = rows.map((row) => line(names!.map((name) => cell(row[name] ?? null))))
    if (head) lines.unshift(line(names))
    head = false
    if (lines.length > 0) yield lines.join('')
  }
  if (head) yield line(names ?? [])
}

/**
 * Nothing for null, a text as it is, anything else as JSON. A text that a spreadsheet would take for
 * a formula, also after blanks, gets an apostrophe in front: a title that a managed node wrote must not run on the
 * reader's machine. NDJSON keeps all texts unchanged.
 */
function cell(value: Json): string {
  if (value === null) return ''
  if (typeof value !== 'string') return jsonText(value)
  return FORMULA.test(value) ? `'${value}` : value
}

/** How a formula begins, full-width signs included, after blanks and characters that are not shown. */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u

/** A semicolon separates columns where a comma precedes decimals. */
const quoted = (text: string): string =>
  /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
