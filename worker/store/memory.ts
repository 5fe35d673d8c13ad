/** Holds what an isolate remembers of one database: bounded caches that can be dropped at any time. */

import type { Dictionary } from '../sql/dictionaries.ts'
import type { Generation } from './generation.ts'

/** Most characters of a cache's texts: some 10 MB. */
const MOST_CHARACTERS = 10_000_000
/** Characters that an entry counts beside its text. */
const CHARACTERS_OF_ENTRY = 100
/** Most texts of a cached dictionary; a larger dictionary is read for each query. */
const MOST_TEXTS = 200_000

/** Names of rows that the database contains. Clears itself when it is full. */
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
 * Caches texts of an append-only table by their ids, in two generations: when the younger is full, the older
 * is dropped. So the ids of a page stay cached while the page is printed, even if other requests add texts.
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

  /** Makes room for the ids of a page. Not called for single ids, so that no page evicts its own. */
  makeRoom(): void {
    if (this.characters <= MOST_CHARACTERS / 2) return
    this.older = this.younger
    this.younger = new Map()
    this.characters = 0
  }
}

/** Dictionaries by name, except those that are too large to cache. */
export class DictionaryCache {
  private readonly dictionaries = new Map<string, Dictionary>()

  get isEmpty(): boolean {
    return this.dictionaries.size === 0
  }

  /** Undefined for a dictionary that must be read whole. */
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
  /** Rows that a report need not insert, because an earlier batch of this isolate inserted them. */
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

  /** The latest generation that a batch has read; null before the first. */
  generation: Generation | null = null

  /** Signatures of sessions that were signed out (ended-sessions.ts), and until when that list counts, in ms. */
  endedSessions: { readonly until: number; readonly signatures: Set<string> } | null = null

  private week: number | null = null

  /** Forgets which rows are stored when a week begins, as reports mark the entries that they name once a week. */
  beginWeek(week: number): void {
    if (this.week !== week) this.forget()
    this.week = week
  }

  /** Whether patterns may have been compiled to ids. */
  hasMatches(): boolean {
    return !this.dictionaries.isEmpty
  }

  /** Forgets which rows are stored, after the database turned out to lack one of them. */
  forget(): void {
    for (const set of Object.values(this.stored)) set.clear()
  }
}
