/** Skips entries of a mapping without parsing them, judging by a few of their keys. */

import { CHARACTER } from './characters.ts'
import { isBreak, type YamlSource } from './source.ts'

/** Which entries the parser skips. */
export interface SkipRule {
  /** Key in the document's own mapping whose value holds the entries. */
  readonly under: string
  /** Keys of an entry whose values decide. */
  readonly keys: readonly string[]
  /**
   * Whether to skip an entry. `values` are the raw texts of the `keys`, null for a missing key; the list object is
   * reused for all entries. `name` returns the key of the entry.
   */
  readonly decide: (values: readonly (string | null)[], name: () => string) => boolean
}

/** An alias may refer to anything before it, so a document with aliases is parsed whole. */
const ALIAS = /(?:[-:?] |\n)\*[^ \t\n]/

export const hasAliases = (text: string): boolean => ALIAS.test(text)

/** Examines entries of one document, and moves its source after each entry that it skips. */
export class EntrySkipper {
  private readonly values: (string | null)[]

  constructor(
    private readonly source: YamlSource,
    private readonly rule: SkipRule,
    private readonly readKey: () => string,
  ) {
    this.values = rule.keys.map(() => null)
  }

  /** Whether the entry at the source's position is skipped. The source is then at the next entry. */
  skips(): boolean {
    const { source } = this
    const { pos, column, lineStart } = source
    const end = this.scan(source.lineEnd(pos), column)
    if (end === null) return false
    const name = (): string => {
      source.pos = pos
      return this.readKey()
    }
    if (!this.rule.decide(this.values, name)) {
      source.pos = pos
      return false
    }
    source.pos = end
    source.lineStart = lineStart
    source.toNextLine()
    return true
  }

  /** Fills in the values; returns the end of the entry's last line, null where it holds no mapping. */
  private scan(firstEnd: number, column: number): number | null {
    const { source } = this
    this.values.fill(null)
    let own: number | null = null
    let end = firstEnd
    while (end < source.text.length) {
      const from = source.behindBreak(end)
      const next = source.lineEnd(from)
      const deepest = own === null ? next : from + own
      let at = from
      while (at < deepest && source.code(at) === CHARACTER.space) at++
      // Blank lines belong to the value before them.
      if (at < next) {
        if (at - from <= column) return own === null ? null : end
        own ??= at - from
        if (at - from < own) return null
        this.note(at, next)
      }
      end = next
    }
    return own === null ? null : end
  }

  private note(at: number, end: number): void {
    const { text } = this.source
    for (let index = 0; index < this.rule.keys.length; index++) {
      const key = this.rule.keys[index]!
      const behind = at + key.length
      if (text.charCodeAt(at) !== key.charCodeAt(0) || !text.startsWith(key, at)) continue
      if (text.charCodeAt(behind) !== CHARACTER.colon) continue
      const isAlone = behind + 1 === end || isBreak(text.charCodeAt(behind + 1))
      this.values[index] = isAlone ? '' : text.slice(behind + 2, end)
    }
  }
}
