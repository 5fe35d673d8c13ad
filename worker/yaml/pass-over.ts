/** Entries of a mapping that need not be read: what their lines say is looked at, and they are passed over. */

import { CHARACTER } from './characters.ts'
import { isBreak, type YamlSource } from './source.ts'

/** Which entries are passed over. */
export interface PassOver {
  /** Key of the document's own mapping; the entries are those of its value. */
  readonly under: string
  /** Keys of an entry. */
  readonly keys: readonly string[]
  /**
   * Whether an entry is passed over. `values` are the texts behind the `keys`, as they stand in the document, null for a
   * key that isn't there; the list is the same for all entries. `name` gives the key of the entry.
   */
  readonly decide: (values: readonly (string | null)[], name: () => string) => boolean
}

/** Aliases need all that stands before them. */
const ALIAS = /(?:[-:?] |\n)\*[^ \t\n]/

export const hasAliases = (text: string): boolean => ALIAS.test(text)

/** Looks at entries for one document, whose source it moves behind an entry that is passed over. */
export class Passer {
  private readonly values: (string | null)[]

  constructor(
    private readonly source: YamlSource,
    private readonly rule: PassOver,
    private readonly readKey: () => string,
  ) {
    this.values = rule.keys.map(() => null)
  }

  /** Whether the entry that begins at the source's place is passed over. The source is then at the next entry. */
  passes(): boolean {
    const { source } = this
    const { pos, column, lineStart } = source
    const end = this.look(source.lineEnd(pos), column)
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

  /** Fills in the values; gives where the entry's last line ends, null where it holds no mapping. */
  private look(firstEnd: number, column: number): number | null {
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
      // Lines that are blank belong to whatever stands before them.
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
