/** Reads literal (`|`) and folded (`>`) scalars, whose lines are indented deeper than the collection around them. */

import { CHARACTER } from './characters.ts'
import { breaksOf, isBlank, type YamlSource } from './source.ts'

const HEADER = /^[|>](?:([1-9])([+-])?|([+-])([1-9])?)?[ \t]*$/

/**
 * Reads the scalar whose header begins at the source's position, and moves to the next line after it.
 *
 * @param indent column of the collection that holds it, -1 for the document
 */
export function readBlockScalar(source: YamlSource, indent: number): string {
  const { text } = source
  const end = source.lineEnd(source.pos)
  const header = HEADER.exec(text.slice(source.pos, Math.min(end, source.pos + 100)))
  if (header === null) throw source.error('an unknown header of a block scalar')
  const [, depth = header[4], chomping = header[3]] = header
  const isFolded = source.code() === CHARACTER.folded
  const lines = readLines(source, end, {
    least: Math.max(indent + 1, 1),
    column: depth === undefined ? null : Math.max(indent, 0) + Number(depth),
    isFolded,
  })
  source.toNextLine()
  if (chomping === '-') return lines.read
  if (chomping === '+') return lines.read + lines.breaks
  return lines.isEmpty ? '' : lines.read + lines.breaks.slice(0, 1)
}

interface Layout {
  /** A line that begins before this column ends the scalar. */
  readonly least: number
  /** The column of its lines; null until the first line that isn't blank sets it. */
  readonly column: number | null
  readonly isFolded: boolean
}

/** The lines as one text, and the breaks after the last one. Leaves the source at the end of the line before the next content. */
function readLines(source: YamlSource, headerEnd: number, { least, column, isFolded }: Layout) {
  const { text } = source
  let read = ''
  let breaks = ''
  let isEmpty = true
  let wasBlank = false
  let lastEnd = headerEnd
  while (lastEnd < text.length) {
    const from = source.behindBreak(lastEnd)
    const end = source.lineEnd(from)
    const deepest = column === null ? end : Math.min(end, from + column)
    let at = from
    while (at < deepest && source.code(at) === CHARACTER.space) at++
    if (at === end) {
      // The last line of the text has no line break.
      if (end < text.length) breaks += breaksOf(text.slice(end, source.behindBreak(end)))
    } else {
      if (at - from < (column ?? least)) break
      column ??= at - from
      const isBlankLine = isBlank(source.code(at))
      const joins = isFolded && !isEmpty && !wasBlank && !isBlankLine && breaks.startsWith('\n')
      read += (joins ? (breaks.length === 1 ? ' ' : breaks.slice(1)) : breaks) + text.slice(at, end)
      breaks = end < text.length ? breaksOf(text.slice(end, source.behindBreak(end))) : ''
      wasBlank = isBlankLine
      isEmpty = false
    }
    lastEnd = end
  }
  source.pos = lastEnd
  return { read, breaks, isEmpty }
}
