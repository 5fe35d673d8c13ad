/** Reads keys of mappings: simple keys, with their colon on the same line, and complex keys after `? `. */

import { readBlockScalar } from './block-scalar.ts'
import { CHARACTER } from './characters.ts'
import { closedBefore, readQuoted, withoutBlanks } from './quoted.ts'
import { readPlain, readWord, requireNoComment } from './plain.ts'
import { isBlank, type YamlSource } from './source.ts'
import { keyOfScalar } from './tags.ts'

/** Values that begin with one of these aren't keys: aliases, collections, block scalars. */
const NO_KEYS: ReadonlySet<number> = new Set([
  CHARACTER.alias,
  CHARACTER.sequence,
  CHARACTER.mapping,
  CHARACTER.literal,
  CHARACTER.folded,
])

/** Whether the source is at a key: a simple key or a complex one. */
export function isKeyAhead(source: YamlSource): boolean {
  const code = source.code()
  if (code === CHARACTER.double || code === CHARACTER.single) {
    let at = closedBefore(source, source.pos, source.lineEnd(source.pos))
    if (at < 0) return false
    while (isBlank(source.code(at))) at++
    return isColon(source, at)
  }
  if (source.isIndicator(CHARACTER.question)) return true
  return !NO_KEYS.has(code) && plainKeyEnd(source) >= 0
}

/** Reads the key at the source's position, and leaves the source at its colon. @throws CommandError where there is none */
export function readKey(source: YamlSource): string {
  let tag: string | null = null
  while (source.code() === CHARACTER.tag || source.code() === CHARACTER.anchor) {
    const word = readWord(source)
    if (word.startsWith('!')) tag = word
    source.skipBlanks()
  }
  const code = source.code()
  if (code === CHARACTER.double || code === CHARACTER.single) {
    const key = readQuoted(source)
    source.skipBlanks()
    if (!source.isIndicator(CHARACTER.colon)) throw source.error('a key has no colon after it')
    return keyOfScalar(tag, key, false)
  }
  const end = plainKeyEnd(source)
  if (end < 0) throw source.error('a line is neither a key with its value nor an item')
  const key = withoutBlanks(source.text.slice(source.pos, end))
  requireNoComment(source, key)
  if (key === '<<') throw source.error('merging of hashes by << is not supported')
  source.pos = end
  return keyOfScalar(tag, key, true)
}

/** Reads the key after `? ` of a mapping at `column`: a scalar of any length and style. Leaves the source at the next line. */
export function readComplexKey(source: YamlSource, column: number): string {
  source.skipBlanks()
  const at = source.pos
  const tag = source.code() === CHARACTER.tag ? readWord(source) : null
  source.skipBlanks()
  switch (source.code()) {
    case CHARACTER.double:
    case CHARACTER.single: {
      const key = readQuoted(source)
      source.toNextLine()
      return keyOfScalar(tag, key, false)
    }
    case CHARACTER.literal:
    case CHARACTER.folded:
      return keyOfScalar(tag, readBlockScalar(source, column), false)
    default:
      if (
        NO_KEYS.has(source.code()) ||
        source.isIndicator(CHARACTER.hyphen) ||
        isKeyAhead(source)
      ) {
        throw source.error('a key is a collection', at)
      }
      return keyOfScalar(tag, readPlain(source, column), true)
  }
}

/** Index of the colon after the plain key at the source's position; -1 where the line has none. */
function plainKeyEnd(source: YamlSource): number {
  const at = source.colonIn(source.pos)
  return source.code(at) === CHARACTER.colon ? at : -1
}

const isColon = (source: YamlSource, at: number): boolean =>
  source.code(at) === CHARACTER.colon && source.isDelimited(at + 1)
