/**
 * Proves that reports are in the history, from the files of their days: what retention asks before it deletes anything
 * where the history is required. The marks in the database say which days are worth asking for; they prove nothing.
 */

import { log } from '../lib/log.ts'
import type { Database } from '../store/database.ts'
import { readFilesOfDay } from '../store/history-months.ts'
import {
  dateOf,
  dayPrefix,
  listFiles,
  monthOf,
  monthPath,
  monthPrefix,
  pathOf,
  type HistoryFile,
} from './bucket.ts'
import type { History } from './history.ts'
import { DamagedPart } from './open-file.ts'
import { heldHashes, readHashes } from './part-hashes.ts'
import { readWholeFile, readWholePart } from './whole-part.ts'
import { bytesOfHex, hexOfBytes } from '../sql/encoding.ts'

const BYTES = 20
/** Digits that a number holds exactly. */
const PREFIX = 13

const prefixOf = (hash: string): number => Number.parseInt(hash.slice(0, PREFIX), 16)

/** Hashes of reports in 28 bytes each, as a day of a large fleet has a million: a Set takes four times as many. */
class HashSet {
  /** In their order. */
  readonly #prefixes: Float64Array
  readonly #bytes: Uint8Array

  /** @param hashes of 40 hexadecimal digits */
  constructor(hashes: readonly string[]) {
    const sorted = hashes.toSorted()
    this.#prefixes = Float64Array.from(sorted, prefixOf)
    this.#bytes = bytesOfHex(sorted.join(''))
  }

  has(hash: string): boolean {
    const prefix = prefixOf(hash)
    const prefixes = this.#prefixes
    let [first, end] = [0, prefixes.length]
    while (first < end) {
      const middle = (first + end) >>> 1
      if (prefixes[middle]! < prefix) first = middle + 1
      else end = middle
    }
    for (; prefixes[first] === prefix; first++)
      if (hexOfBytes(this.#bytes.subarray(first * BYTES, (first + 1) * BYTES)) === hash) return true
    return false
  }
}

/** Parts whose hashes are kept, of the day that was asked for last: all of 20,000 nodes that run every half hour, in 27 MB. */
const MOST_KEPT_PARTS = 64

export class ArchiveProof {
  #day: number | null = null
  #parts: readonly number[] = []
  #months: readonly HistoryFile[] = []
  readonly #hashes = new Map<number, HashSet>()
  /** Parts of any day, and days of months, whose files this run has read in all tables: whether they are whole. */
  readonly #whole = new Map<string, boolean>()

  constructor(
    private readonly database: Database,
    private readonly history: History,
  ) {}

  /**
   * The hashes that the day or its month holds, of reports whose rows can be read in all tables.
   *
   * @param day number of the day
   */
  async heldOf(day: number, hashes: readonly string[]): Promise<ReadonlySet<string>> {
    if (this.#day !== day) await this.#begin(day)
    const held = new Set<string>()
    for (const part of this.#parts) {
      if (held.size === hashes.length) break
      const ofPart = await this.#hashesOf(day, part)
      for (const hash of hashes) if (ofPart.has(hash)) held.add(hash)
    }
    // Months are compacted when retention is through with them, so only single reports are looked for there.
    for (const file of this.#months) {
      if (held.size === hashes.length) break
      const missing = hashes.filter((hash) => !held.has(hash))
      const found = await this.#readOrNone(day, () =>
        heldHashes(this.history.bucket, pathOf(file), missing),
      )
      if (found.size > 0 && (await this.#isMonthWhole(day)))
        for (const hash of found) held.add(hash)
    }
    return held
  }

  async #begin(day: number): Promise<void> {
    const { bucket } = this.history
    this.#day = null
    this.#hashes.clear()
    this.#parts = (await listFiles(bucket, dayPrefix('reports', day))).map(({ part }) => part)
    this.#months = await listFiles(bucket, monthPrefix('reports', monthOf(day)))
    this.#day = day
  }

  async #hashesOf(day: number, part: number): Promise<HashSet> {
    const known = this.#hashes.get(part)
    if (known !== undefined) return known
    const read = new HashSet([...(await this.#readPart(day, part))])
    if (this.#hashes.size < MOST_KEPT_PARTS) this.#hashes.set(part, read)
    return read
  }

  /** A part that is asked for again is read as far as its hashes: its other files were read in this run. */
  async #readPart(day: number, part: number): Promise<ReadonlySet<string>> {
    const { bucket } = this.history
    const name = `${day} ${part}`
    const isWhole = this.#whole.get(name)
    if (isWhole === false) return new Set()
    const read = await this.#readOrNone(day, async () => {
      const hashes = isWhole ? readHashes(bucket, day, part) : readWholePart(bucket, day, part)
      return new Set(await hashes)
    })
    this.#whole.set(name, read.size > 0)
    return read
  }

  /** Whether the files of the month that hold the day are as the database knows them, in all tables. */
  async #isMonthWhole(day: number): Promise<boolean> {
    const name = `month ${day}`
    let isWhole = this.#whole.get(name)
    if (isWhole === undefined) {
      const read = await this.#readOrNone(day, async () => {
        for (const { table, month, part, rows } of await readFilesOfDay(this.database, day)) {
          const path = monthPath(table, month, part)
          const found = await readWholeFile(this.history.bucket, path)
          if (found !== rows)
            throw new DamagedPart(path, `it has ${found} rows, and the database says ${rows}`)
        }
        return new Set([name])
      })
      isWhole = read.has(name)
      this.#whole.set(name, isWhole)
    }
    return isWhole
  }

  /** A file that can't be read proves nothing. */
  async #readOrNone(
    day: number,
    read: () => Promise<ReadonlySet<string>>,
  ): Promise<ReadonlySet<string>> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof DamagedPart)) throw error
      log('error', {
        history: `${error.message}. No report of ${dateOf(day)} is deleted that only this part of the history may hold.`,
      })
      return new Set()
    }
  }
}
