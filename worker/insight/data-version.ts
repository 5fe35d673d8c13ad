/** Computes the version of the data for ETags: it changes when a report arrives, a cause is acknowledged, a node comes or goes, or a query is saved. */

import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { integer, nullable, select, text } from '../sql/columns.ts'
import { literal } from '../sql/encoding.ts'
import { LATEST_TOKEN } from '../store/generation.ts'
import { batchRead, type BatchRead } from '../store/batch-read.ts'

/** Keys by which a report is noticed that comes after newer ones. Where these are more, the next newer one follows at once. */
const LAST_KEYS = 20

/**
 * A report changes the sum of the last keys, also one that comes after a newer one; a report in a closed hour opens that hour
 * again. Acknowledgements are few, and each has the time of its last change. Deactivated nodes and saved queries draw a generation.
 */
const VERSION = {
  newest: nullable(
    text(
      sql`(select cast(sum(id) as text) from (select id from reports order by id desc limit ${literal(LAST_KEYS)}))`,
    ),
  ),
  openHours: nullable(text(sql`(select group_concat(hour) from open_hours)`)),
  generation: text(sql.raw(LATEST_TOKEN)),
  acknowledgements: integer(
    sql`(select coalesce(sum(created + 2 * coalesce(back, 0)), 0) from acknowledgements)`,
  ),
}

/** Reads some 25 rows. The version is a digest, so it reveals nothing to readers who may not see the newest report. */
export const dataVersionRead = (): BatchRead<string> =>
  batchRead([select(VERSION, sql``)], ([[row]]) =>
    createHash('sha1')
      .update(JSON.stringify([row!.newest, row!.openHours, row!.generation, row!.acknowledgements]))
      .digest('base64url')
      .slice(0, 12),
  )
