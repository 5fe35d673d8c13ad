/** Syntax errors that point at a position in the text of a query. */

import { QueryError } from '../lib/errors.ts'

const MAX_SHOWN = 160

/**
 * A syntax error in PuppetDB's form: line and column of `offset`, the line, a caret, the reason.
 * PuppetDB's column and caret agree in PQL and differ by one in JSON, hence both parameters. A long line
 * is cut around the caret, so that an error never echoes a whole query.
 */
export function sourceError(
  kind: 'Json' | 'PQL',
  text: string,
  at: { readonly offset: number; readonly caret: number },
  reason: string,
): QueryError {
  const lineStart = text.lastIndexOf('\n', at.offset - 1) + 1
  const lineEnd = text.indexOf('\n', lineStart)
  const line = text.slice(lineStart, lineEnd < 0 ? text.length : lineEnd)
  const lineNumber = countLines(text, lineStart) + 1
  const column = at.offset - lineStart + 1
  const shown = cutAround(line, Math.max(0, at.caret - lineStart))
  return new QueryError(
    `${kind} parse error at line ${lineNumber}, column ${column}:\n\n` +
      `${shown.line}\n${' '.repeat(shown.caret)}^\n\n${reason}`,
  )
}

function countLines(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++
  return count
}

function cutAround(line: string, caret: number): { line: string; caret: number } {
  if (line.length <= MAX_SHOWN) return { line, caret }
  const start = Math.max(0, Math.min(caret - MAX_SHOWN / 2, line.length - MAX_SHOWN))
  const end = start + MAX_SHOWN
  const before = start > 0 ? '…' : ''
  const after = end < line.length ? '…' : ''
  return {
    line: `${before}${line.slice(start, end)}${after}`,
    caret: caret - start + before.length,
  }
}
