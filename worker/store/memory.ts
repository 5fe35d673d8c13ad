/** What an isolate remembers of one database. All of it can be forgotten at any time; nothing here decides what is stored. */

import type { Dictionary } from '../sql/dictionaries.ts'

/** Beyond this size a set is emptied and learns anew: some 10 MB, whatever is sent. */
const MOST_CHARACTERS = 10_000_000
/** What an entry takes beside its text. */
const CHARACTERS_OF_ENTRY = 100

/** Things that are known to be in the database, by a text that names them. */
export class KnownSet {
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

/** Texts of an append-only table by their ids, read by `id > highest`. */
export class IdCache {
  readonly values = new Map<number, string>()
  highest = 0

  add(id: number, value: string): void {
    this.values.set(id, value)
    if (id > this.highest) this.highest = id
  }
}

export class Memory {
  /** Rows that a stored report need not insert again, because an earlier batch of this isolate did. */
  readonly known = {
    strings: new KnownSet(),
    resources: new KnownSet(),
    metricSets: new KnownSet(),
    nodes: new KnownSet(),
    versions: new KnownSet(),
  }
  /** Strings of all kinds by id, as the JSON text that answers carry. */
  readonly strings = new IdCache()
  readonly metricSets = new IdCache()
  /** Texts that patterns are tried on, by the name of their dictionary. */
  readonly dictionaries = new Map<string, Dictionary>()

  /** For when the database turns out not to hold what this isolate believed it held. */
  forget(): void {
    for (const set of Object.values(this.known)) set.clear()
  }
}
