/**
 * Proves that reports are in the history, from the files of their days: what retention asks before it deletes anything
 * where the history is required. The marks in the database say which days are worth asking for; they prove nothing.
 */

import { log } from '../lib/log.ts'
import {
  dateOf,
  dayPrefix,
  listFiles,
  monthOf,
  monthPrefix,
  pathOf,
  type HistoryBucket,
  type HistoryFile,
} from './bucket.ts'
import { DamagedPart, heldHashes, readHashes } from './part-hashes.ts'

/** Parts whose hashes are kept, of the day that was asked for last: 15,000 hashes each at most. */
const MOST_KEPT_PARTS = 16

export class ArchiveProof {
  #day: number | null = null
  #parts: readonly number[] = []
  #months: readonly HistoryFile[] = []
  readonly #hashes = new Map<number, ReadonlySet<string>>()

  constructor(private readonly bucket: HistoryBucket) {}

  /** @param day number of the day @returns the hashes that a readable file of the day or its month holds */
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
      const read = () => heldHashes(this.bucket, pathOf(file), missing)
      for (const hash of await this.#readOrNone(day, read)) held.add(hash)
    }
    return held
  }

  async #begin(day: number): Promise<void> {
    this.#day = null
    this.#hashes.clear()
    this.#parts = (await listFiles(this.bucket, dayPrefix('reports', day))).map(({ part }) => part)
    this.#months = await listFiles(this.bucket, monthPrefix('reports', monthOf(day)))
    this.#day = day
  }

  async #hashesOf(day: number, part: number): Promise<ReadonlySet<string>> {
    const known = this.#hashes.get(part)
    if (known !== undefined) return known
    const read = new Set(await this.#readOrNone(day, () => readHashes(this.bucket, day, part)))
    if (this.#hashes.size < MOST_KEPT_PARTS) this.#hashes.set(part, read)
    return read
  }

  /** A file that can't be read proves nothing. */
  async #readOrNone(day: number, read: () => Promise<Iterable<string>>): Promise<Iterable<string>> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof DamagedPart)) throw error
      log('error', {
        history: `${error.message}. No report of ${dateOf(day)} is deleted that only this file may hold.`,
      })
      return []
    }
  }
}
