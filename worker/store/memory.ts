/** Holds what an isolate remembers of one database: bounded caches that can be dropped at any time. */

import { bytesOf, type Dictionary } from '../sql/dictionaries.ts'
import type { Generation } from './generation.ts'
import { PendingRefusals } from './pending-refusals.ts'

/**
 * What the caches of an isolate may hold, in bytes: 24 MB in all, of its 128, whatever anybody stored. The rest of the 24 is
 * for matches of patterns (sql/dictionaries.ts) and frames of metrics (report/body-metrics.ts).
 */
export const MOST_BYTES = {
  stored: 5_000_000,
  idCache: 3_000_000,
  dictionaries: 5_000_000,
  bodies: 2_000_000,
}
/** Bytes that an entry takes beside its text. */
const BYTES_OF_ENTRY = 100

interface Clearable {
  clear(): void
}

/** Counts what the sets of an isolate hold, and clears all of them when that is too much. */
class SharedBudget {
  private bytes = 0
  private readonly sets: Clearable[] = []

  join(set: Clearable): void {
    this.sets.push(set)
  }

  add(bytes: number): void {
    this.bytes += bytes
    if (this.bytes > MOST_BYTES.stored) this.clear()
  }

  clear(): void {
    for (const set of this.sets) set.clear()
    this.bytes = 0
  }
}

/** Names of rows that the database contains. The sets of an isolate share a budget, and are cleared when it is spent. */
export class StoredSet {
  private readonly names = new Set<string>()

  constructor(private readonly budget = new SharedBudget()) {
    budget.join(this)
  }

  has(name: string): boolean {
    return this.names.has(name)
  }

  add(name: string): void {
    if (this.names.has(name)) return
    this.budget.add(bytesOf(name) + BYTES_OF_ENTRY)
    this.names.add(name)
  }

  clear(): void {
    this.names.clear()
  }
}

/** Names of rows that the database contains, each with a time that is not before the one stored there. */
export class StoredTimes {
  private readonly times = new Map<string, number>()

  constructor(private readonly budget: SharedBudget) {
    budget.join(this)
  }

  /** Whether the stored time is at most that one. */
  has(name: string, time: number): boolean {
    const known = this.times.get(name)
    return known !== undefined && known <= time
  }

  add(name: string, time: number): void {
    if (this.has(name, time)) return
    if (!this.times.has(name)) this.budget.add(bytesOf(name) + BYTES_OF_ENTRY)
    this.times.set(name, time)
  }

  clear(): void {
    this.times.clear()
  }
}

/**
 * Caches what never changes for its key, in two generations: when the younger is full, the older is dropped.
 */
class AgingCache<Key, Value> {
  private younger = new Map<Key, Value>()
  private older = new Map<Key, Value>()
  private bytes = 0

  constructor(
    private readonly mostBytes: number,
    private readonly sizeOf: (key: Key, value: Value) => number,
  ) {}

  get isEmpty(): boolean {
    return this.younger.size === 0 && this.older.size === 0
  }

  /** Undefined for a key that is not cached. */
  get(key: Key): Value | undefined {
    const value = this.younger.get(key)
    if (value !== undefined) return value
    const old = this.older.get(key)
    if (old !== undefined) this.add(key, old)
    return old
  }

  add(key: Key, value: Value): void {
    if (this.younger.has(key)) return
    this.younger.set(key, value)
    this.bytes += this.sizeOf(key, value) + BYTES_OF_ENTRY
    if (this.bytes <= this.mostBytes / 2) return
    this.older = this.younger
    this.younger = new Map()
    this.bytes = 0
  }
}

/** Texts of an append-only table by their ids. */
export class IdCache extends AgingCache<number, string> {
  constructor() {
    super(MOST_BYTES.idCache, (_, text) => bytesOf(text))
  }
}

/** What the body of a report holds, as JSON texts. */
export interface PrintedBody {
  /** Names of the metrics that it was printed with. */
  readonly names: string | null
  readonly logs: string
  readonly metrics: string
}

/** Printed bodies of reports by their packed form in hex, from which they follow whatever happens to the database. */
export class BodyCache extends AgingCache<string, PrintedBody> {
  constructor() {
    super(MOST_BYTES.bodies, (packed, { logs, metrics }) =>
      [packed, logs, metrics].reduce((sum, text) => sum + bytesOf(text), 0),
    )
  }
}

/** Dictionaries by name, those that were used last, as far as the budget allows. */
export class DictionaryCache {
  private readonly dictionaries = new Map<string, Dictionary>()

  get isEmpty(): boolean {
    return this.dictionaries.size === 0
  }

  /** Undefined for a dictionary that must be read whole. */
  get(name: string): Dictionary | undefined {
    this.makeRoom()
    const dictionary = this.dictionaries.get(name)
    if (dictionary !== undefined) this.set(name, dictionary)
    return dictionary
  }

  set(name: string, dictionary: Dictionary): void {
    this.dictionaries.delete(name)
    if (!dictionary.isPartial && dictionary.ids.length > 0) this.dictionaries.set(name, dictionary)
    this.makeRoom()
  }

  /** Dictionaries also grow while they are cached. */
  private makeRoom(): void {
    let bytes = 0
    for (const [name, dictionary] of [...this.dictionaries].toReversed()) {
      bytes += dictionary.bytes
      if (bytes > MOST_BYTES.dictionaries) this.dictionaries.delete(name)
    }
  }
}

export class Memory {
  /** Rows that a report need not insert, because an earlier batch of this isolate inserted them. */
  private readonly budget = new SharedBudget()
  readonly stored = {
    strings: new StoredSet(this.budget),
    resources: new StoredSet(this.budget),
    metricSets: new StoredSet(this.budget),
    nodes: new StoredSet(this.budget),
    versions: new StoredTimes(this.budget),
  }
  /** Strings of all kinds by id, as the JSON text that answers contain. */
  readonly strings = new IdCache()
  readonly metricSets = new IdCache()
  readonly bodies = new BodyCache()
  /** Texts that patterns are evaluated on. */
  readonly dictionaries = new DictionaryCache()

  /** The latest generation that a batch has read; null before the first. */
  generation: Generation | null = null

  /** Signatures of sessions that were signed out (ended-sessions.ts), and until when that list counts, in ms. */
  endedSessions: { readonly until: number; readonly signatures: Set<string> } | null = null

  /** Refusals that are counted, and not yet written. The log has each. */
  readonly refusals = new PendingRefusals()

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
    this.budget.clear()
  }
}
