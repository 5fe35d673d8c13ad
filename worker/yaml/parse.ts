/**
 * Parses YAML as Psych, Ruby's library, writes it: block collections, scalars of all styles, anchors, tags. Supports
 * only empty flow collections, and no comments. Takes time linear in the length of the text.
 */

import type { Json } from '../lib/json.ts'
import { hasAliases, EntrySkipper, type SkipRule } from './skip-entries.ts'
import { readQuoted } from './quoted.ts'
import { readBlockScalar } from './block-scalar.ts'
import { CHARACTER } from './characters.ts'
import { isKeyAhead, readComplexKey, readKey } from './keys.ts'
import { readPlain, readWord } from './plain.ts'
import { YamlSource } from './source.ts'
import { scalarOf, untagged } from './tags.ts'

/** Most levels of nested collections. */
const DEEPEST = 100
/** Most collections, and most values in all: in memory each takes many times its characters. */
const MOST_COLLECTIONS = 250_000
const MOST_VALUES = 1_000_000
/** Most characters that all aliases together may expand to. */
const MOST_EXPANDED = 16 * 1024 * 1024

export interface Document {
  /** Tag of the outermost value, such as `!ruby/object:Puppet::Transaction::Report`. */
  readonly tag: string | null
  readonly value: Json
  /** In which the outermost value begins, from 1. */
  readonly line: number
}

/** @throws CommandError naming line and reason where the text is not YAML of this kind */
export function parseYaml(text: string, skipRule: SkipRule | null = null): Document {
  return new Parser(text, skipRule).document()
}

/**
 * Where a value begins: after `key:`, after `-`, or after the `:` of a complex key. After the last two a collection may
 * begin on the same line; items of the first and the last may begin at the column of the mapping itself.
 */
type Place = 'value' | 'item' | 'complex value'

interface Anchored {
  readonly value: Json
  /** Characters of the document with all aliases expanded. */
  readonly size: number
  /** Levels of collections in the value, with all aliases expanded. */
  readonly levels: number
}

class Parser {
  private readonly source: YamlSource
  private readonly skipper: EntrySkipper | null
  private readonly anchors = new Map<string, Anchored>()
  private expanded = 0
  private depth = 0
  /** The deepest level of the anchored value under way, with all aliases expanded. */
  private deepest = 0
  private collections = 0
  private values = 0
  private tag: string | null = null
  /** Where the outermost value begins. */
  private start = 0

  constructor(
    text: string,
    private readonly skipRule: SkipRule | null,
  ) {
    this.source = new YamlSource(text)
    this.skipper =
      skipRule === null || hasAliases(text)
        ? null
        : new EntrySkipper(this.source, skipRule, () => readKey(this.source))
  }

  document(): Document {
    const { source } = this
    if (source.code() === CHARACTER.byteOrderMark) source.lineStart = source.pos = 1
    // Without `---` the document begins on the line itself, as an item does.
    const isMarked = source.isMarker() && source.text.startsWith('---', source.pos)
    if (isMarked) source.pos += 3
    const value = this.node(-1, isMarked ? 'value' : 'item')
    if (!source.ended) throw source.error('the document continues where it should end')
    if (source.text.startsWith('---', source.pos)) throw source.error('a second document begins')
    return { tag: this.tag, value, line: source.line(this.start) }
  }

  /** Reads the value at the source's position, in a collection at column `indent`. Leaves the source at the next line. */
  private node(indent: number, place: Place): Json {
    const { source } = this
    if (++this.values > MOST_VALUES) throw source.error(`there are more than ${MOST_VALUES} values`)
    source.skipBlanks()
    const start = source.pos
    const first = source.code()
    if (first !== CHARACTER.tag && first !== CHARACTER.anchor) return this.bare(indent, place, null)
    let tag: string | null = null
    let anchor: string | null = null
    while (source.code() === CHARACTER.tag || source.code() === CHARACTER.anchor) {
      const word = readWord(source)
      if (word.startsWith('!')) tag = word
      else anchor = word.slice(1)
      source.skipBlanks()
    }
    if (place !== 'value' && !source.atLineEnd() && isKeyAhead(source)) {
      source.pos = start
      return this.bare(indent, place, null)
    }
    if (indent < 0) this.tag = tag
    if (anchor === null) return this.bare(indent, place, tag)
    const [expandedBefore, deepestBefore] = [this.expanded, this.deepest]
    this.deepest = this.depth
    const value = this.bare(indent, place, tag)
    const size = source.pos - start + this.expanded - expandedBefore
    this.anchors.set(anchor, { value, size, levels: this.deepest - this.depth })
    this.deepest = Math.max(this.deepest, deepestBefore)
    return value
  }

  /** Reads the value after its tag and anchor. */
  private bare(indent: number, place: Place, tag: string | null): Json {
    const { source } = this
    if (source.atLineEnd()) {
      source.toNextLine()
      const { column } = source
      const isInside =
        column > indent ||
        (place !== 'item' && column === indent && source.isIndicator(CHARACTER.hyphen))
      if (source.ended || !isInside) return tag === null ? null : ''
      if (indent < 0) this.start = source.pos
      return this.block(column, indent, tag)
    }
    if (indent < 0) this.start = source.pos
    if (place === 'value') return this.scalar(indent, tag)
    return this.block(source.pos - source.lineStart, indent, tag)
  }

  /** Reads a collection that begins at the source's position, at `column`; or a scalar, if there is no collection. */
  private block(column: number, indent: number, tag: string | null): Json {
    const { source } = this
    const isSequence = source.isIndicator(CHARACTER.hyphen)
    if (!isSequence && !isKeyAhead(source)) return this.scalar(indent, tag)
    this.descend()
    const value = isSequence ? this.sequence(column) : this.mapping(column)
    this.depth--
    if (!source.ended && source.column > column) {
      throw source.error('the line is indented deeper than the lines before it')
    }
    return tag === null ? value : untagged(tag, value)
  }

  /** Enters a collection. */
  private descend(): void {
    this.reach(++this.depth)
    if (++this.collections > MOST_COLLECTIONS)
      throw this.source.error(`there are more than ${MOST_COLLECTIONS} collections`)
  }

  private reach(level: number): void {
    if (level > DEEPEST)
      throw this.source.error(`collections are nested deeper than ${DEEPEST} levels`)
    this.deepest = Math.max(this.deepest, level)
  }

  private sequence(column: number): Json[] {
    const { source } = this
    const items: Json[] = []
    do {
      source.pos++
      items.push(this.node(column, 'item'))
    } while (!source.ended && source.column === column && source.isIndicator(CHARACTER.hyphen))
    return items
  }

  private mapping(column: number): Json {
    const { source } = this
    const members: Record<string, Json> = {}
    do this.member(members, column)
    while (!source.ended && source.column === column && !source.isIndicator(CHARACTER.hyphen))
    return members
  }

  private member(members: Record<string, Json>, column: number): void {
    const { source } = this
    if (source.isIndicator(CHARACTER.question)) {
      source.pos++
      const key = readComplexKey(source, column)
      const hasValue =
        !source.ended && source.column === column && source.isIndicator(CHARACTER.colon)
      if (hasValue) source.pos++
      set(members, key, hasValue ? this.node(column, 'complex value') : null)
      return
    }
    const key = readKey(source)
    source.pos++
    const hasSkipped = this.depth === 1 && this.skipper !== null && key === this.skipRule!.under
    set(members, key, hasSkipped ? this.entries(column, this.skipper) : this.node(column, 'value'))
  }

  /** Reads a mapping, without the entries that the rule skips. */
  private entries(indent: number, skipper: EntrySkipper): Json {
    const { source } = this
    if (!source.atLineEnd()) return this.node(indent, 'value')
    source.toNextLine()
    const { column } = source
    if (source.ended || column <= indent) return null
    if (!isKeyAhead(source)) return this.block(column, indent, null)
    this.descend()
    const members: Record<string, Json> = {}
    while (!source.ended && source.column === column) {
      if (source.isIndicator(CHARACTER.question) || !skipper.skips()) this.member(members, column)
    }
    this.depth--
    return members
  }

  private scalar(indent: number, tag: string | null): Json {
    const { source } = this
    switch (source.code()) {
      case CHARACTER.double:
      case CHARACTER.single: {
        const text = readQuoted(source)
        source.toNextLine()
        return scalarOf(tag, text, false)
      }
      case CHARACTER.literal:
      case CHARACTER.folded:
        return scalarOf(tag, readBlockScalar(source, indent), false)
      case CHARACTER.alias:
        return this.alias()
      case CHARACTER.sequence:
        return this.empty('[]', [])
      case CHARACTER.mapping:
        return this.empty('{}', {})
      case CHARACTER.comment:
      case CHARACTER.directive:
      case CHARACTER.at:
      case CHARACTER.backquote:
        throw source.error(`a value can't begin with ${source.text.charAt(source.pos)}`)
      default: {
        if (source.isIndicator(CHARACTER.hyphen) || source.isIndicator(CHARACTER.question)) {
          throw source.error('a collection begins where a value is expected')
        }
        return scalarOf(tag, readPlain(source, indent), true)
      }
    }
  }

  private alias(): Json {
    const { source } = this
    const at = source.pos
    const anchored = this.anchors.get(readWord(source).slice(1))
    if (anchored === undefined) throw source.error('an alias without an anchor before it', at)
    this.expanded += anchored.size
    if (this.expanded > MOST_EXPANDED) {
      throw source.error(`aliases expand to more than ${MOST_EXPANDED} characters`, at)
    }
    this.reach(this.depth + anchored.levels)
    source.toNextLine()
    return anchored.value
  }

  private empty(brackets: string, value: Json): Json {
    const { source } = this
    if (!source.text.startsWith(brackets, source.pos)) {
      throw source.error(`of collections in brackets only ${brackets} is known`)
    }
    source.pos += brackets.length
    source.toNextLine()
    return value
  }
}

/** Sets a member, even one whose name is special in JavaScript, such as `__proto__`. */
function set(members: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') members[key] = value
  else {
    Object.defineProperty(members, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
}
