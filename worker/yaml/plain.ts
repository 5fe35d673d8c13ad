/** Reads plain scalars, which may span lines, and the tags, anchors and aliases before values. */

import { withoutBlanks } from './quoted.ts'
import { folded, isBlank, type YamlSource } from './source.ts'

/** Characters that can't occur in the continuation lines of a plain scalar. */
const KEY = /:(?:[ \t]|$)/

/** Reads a plain scalar with its continuation lines, which are indented deeper than `indent`. Leaves the source at the next line. */
export function readPlain(source: YamlSource, indent: number): string {
  const { text } = source
  let end = source.lineEnd(source.pos)
  let read = withoutBlanks(text.slice(source.pos, end))
  requireNoComment(source, read)
  source.pos = end
  source.toNextLine()
  while (!source.ended && source.column > indent) {
    const whitespace = text.slice(end, source.pos)
    end = source.lineEnd(source.pos)
    const line = text.slice(source.pos, end)
    if (KEY.test(line)) throw source.error('a key is indented deeper than the lines before it')
    requireNoComment(source, line)
    read += folded(whitespace) + withoutBlanks(line)
    source.pos = end
    source.toNextLine()
  }
  return read
}

/** Psych quotes a text with ` #` in it, so that one without quotes is a comment. @throws CommandError for a line with one */
export function requireNoComment(source: YamlSource, line: string): void {
  if (line.includes(' #') || line.includes('\t#')) throw source.error('comments are not supported')
}

/** A tag, an anchor or an alias, with its mark. */
export function readWord(source: YamlSource): string {
  const start = source.pos
  const end = source.lineEnd(start)
  while (source.pos < end && !isBlank(source.code())) source.pos++
  return source.text.slice(start, source.pos)
}
