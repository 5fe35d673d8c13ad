/** What may be deleted where the history is required: only reports that the history is seen to hold in all tables. */

import { ArchiveProof } from '../history/archive-proof.ts'
import { dateOf } from '../history/bucket.ts'
import type { History } from '../history/history.ts'
import { log } from '../lib/log.ts'
import { integer, selectText, text, typed } from '../sql/columns.ts'
import {
  dayNumber,
  dayStart,
  firstKey,
  hourNumber,
  keyMilliseconds,
  lowerHexOf,
} from '../sql/encoding.ts'
import type { Database } from '../store/database.ts'
import { unlessFull } from '../store/failures.ts'
import { forgetDay, IS_ARCHIVED, lackDay } from '../store/history.ts'
import type { Guard } from './delete-reports.ts'

const LISTED = { key: integer('r.id'), hash: text(lowerHexOf('r.hash')) }
/** ?1 list of keys. */
const READ_HASHES = `select ${selectText(LISTED)} from json_each(?1) listed cross join reports r on r.id = listed.value`

export class RequiredHistory {
  readonly #proof: ArchiveProof
  /** Days of reports that no part holds, although nothing marked them. */
  readonly #lacking = new Set<number>()

  constructor(
    private readonly database: Database,
    history: History,
  ) {
    this.#proof = new ArchiveProof(database, history)
  }

  /** The first key of the first day that was found to lack reports; none is Infinity. */
  get firstLackingKey(): number {
    return this.#lacking.size === 0 ? Infinity : firstKey(dayStart(Math.min(...this.#lacking)))
  }

  /**
   * Narrows a guard to the reports of a batch that are archived at this moment: their hashes are in a part, and no report
   * has come for their hour or day since. Days that lack one are marked, so that the next run archives them.
   */
  async guardOf(guard: Guard, keys: readonly number[]): Promise<Guard> {
    const held = await this.heldAmong(keys)
    const place = guard.params.length + 2
    return {
      sql: `${guard.sql} and ${IS_ARCHIVED} and ${lowerHexOf('r.hash')} in (select value from json_each(?${place}))`,
      params: [...guard.params, JSON.stringify(held)],
    }
  }

  /** The hashes of the reports that can be read from a part in all tables. */
  async heldAmong(keys: readonly number[]): Promise<readonly string[]> {
    const [reports] = await this.database.batch([
      typed(LISTED, { sql: READ_HASHES, params: [JSON.stringify(keys)] }),
    ])
    const held: string[] = []
    for (const day of new Set(reports.map(({ key }) => dayOfKey(key)))) {
      const hashes = reports.filter(({ key }) => dayOfKey(key) === day).map(({ hash }) => hash)
      const found = await this.#proof.heldOf(day, hashes)
      held.push(...found)
      const lacks = new Set(hashes).size - found.size
      if (lacks > 0) await this.#noteLacking(day, lacks)
    }
    return held
  }

  async #noteLacking(day: number, reports: number): Promise<void> {
    if (this.#lacking.has(day)) return
    this.#lacking.add(day)
    log('error', {
      history: `no whole part of ${dateOf(day)} holds ${reports} of the reports that have expired: they stay, and the day is archived again`,
    })
    await unlessFull(this.database.batch([lackDay(day), forgetDay(day)]))
  }
}

const dayOfKey = (key: number): number => dayNumber(hourNumber(keyMilliseconds(key)))
