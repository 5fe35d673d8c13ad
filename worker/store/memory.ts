/** What an isolate remembers of one database: hints that can be forgotten at any time, each within a bound. */

import type { Dictionary } from '../sql/dictionaries.ts'

/** Characters of a cache's texts, whatever clients send: some 10 MB. */
const MOST_CHARACTERS = 10_000_000
/** The size of an entry beside its text, in characters. */
const CHARACTERS_OF_ENTRY = 100
/** Texts of a dictionary that an isolate keeps; a larger dictionary is read for each query. */
const MOST_TEXTS = 200_000

/** Names of rows that the database contains. Emptied when it is full. */
export class StoredSet {
  private readonly names = new Set<string>()
  private characters = 0

  has(name: string): boolean {
    return this.names.has(name)
  }

  add(name: string): void {
    if (this.characters > MOST_CHARACTERS) this.clear()
    this.names.add(name)
    this.characters += name.length + CHARACTERS_OF_ENTRY
  }

  clear(): void {
    this.names.clear()
    this.characters = 0
  }
}

/**
 * Texts of an append-only table by their ids, in two generations: when the younger is full, the older is
 * dropped. So the ids of a page stay while the page is printed, whatever other requests add.
 */
export class IdCache {
  private younger = new Map<number, string>()
  private older = new Map<number, string>()
  private characters = 0

  get isEmpty(): boolean {
    return this.younger.size === 0 && this.older.size === 0
  }

  /** Undefined for an id that is not cached. */
  get(id: number): string | undefined {
    const text = this.younger.get(id)
    if (text !== undefined) return text
    const old = this.older.get(id)
    if (old !== undefined) this.add(id, old)
    return old
  }

  add(id: number, text: string): void {
    if (this.younger.has(id)) return
    this.younger.set(id, text)
    this.characters += text.length + CHARACTERS_OF_ENTRY
  }

  /** Makes room for the ids of a page. Not for single ones, so that no page evicts its own. */
  makeRoom(): void {
    if (this.characters <= MOST_CHARACTERS / 2) return
    this.older = this.younger
    this.younger = new Map()
    this.characters = 0
  }
}

/** Dictionaries by name, without those that are too large to be kept. */
export class DictionaryCache {
  private readonly dictionaries = new Map<string, Dictionary>()

  /** Undefined for a dictionary that has to be read whole. */
  get(name: string): Dictionary | undefined {
    const dictionary = this.dictionaries.get(name)
    if (dictionary === undefined || dictionary.ids.length <= MOST_TEXTS) return dictionary
    this.dictionaries.delete(name)
    return undefined
  }

  set(name: string, dictionary: Dictionary): void {
    if (dictionary.ids.length > MOST_TEXTS) this.dictionaries.delete(name)
    else if (dictionary.ids.length > 0) this.dictionaries.set(name, dictionary)
  }
}

export class Memory {
  /** Rows that a report need not insert again, because an earlier batch of this isolate did. */
  readonly stored = {
    strings: new StoredSet(),
    resources: new StoredSet(),
    metricSets: new StoredSet(),
    nodes: new StoredSet(),
    versions: new StoredSet(),
  }
  /** Strings of all kinds by id, as the JSON text that answers contain. */
  readonly strings = new IdCache()
  readonly metricSets = new IdCache()
  /** Texts that patterns are evaluated on. */
  readonly dictionaries = new DictionaryCache()

  /** Forgets which rows are stored, after the database turned out to lack one of them. */
  forget(): void {
    for (const set of Object.values(this.stored)) set.clear()
  }
}
