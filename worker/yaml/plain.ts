/** Plain scalars, which may go over several lines, and the words that stand before values. */

import { withoutBlanks } from './quoted.ts'
import { folded, isBlank, type YamlSource } from './source.ts'

/** What can't be in the further lines of a text without quotes. */
const KEY = /:(?:[ \t]|$)/

/** Reads a plain scalar with the lines it goes on in, which stand deeper than `indent`; the source is then at the next line. */
export function readPlain(source: YamlSource, indent: number): string {
  const { text } = source
  let end = source.lineEnd(source.pos)
  let read = withoutBlanks(text.slice(source.pos, end))
  source.pos = end
  source.toNextLine()
  while (!source.ended && source.column > indent) {
    const whitespace = text.slice(end, source.pos)
    end = source.lineEnd(source.pos)
    const line = text.slice(source.pos, end)
    if (KEY.test(line)) throw source.error('a key stands deeper than the lines before it')
    read += folded(whitespace) + withoutBlanks(line)
    source.pos = end
    source.toNextLine()
  }
  return read
}

/** A tag, an anchor or an alias, with its mark. */
export function readWord(source: YamlSource): string {
  const start = source.pos
  const end = source.lineEnd(start)
  while (source.pos < end && !isBlank(source.code())) source.pos++
  return source.text.slice(start, source.pos)
}
