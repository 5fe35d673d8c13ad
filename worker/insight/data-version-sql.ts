/** Which reports there are, from the oldest to what arrived last. */

import { sql } from 'drizzle-orm'
import { render } from '../sql/render.ts'
import type { Statement } from '../sql/statement.ts'

/**
 * [greatest key, open hours]: another one where a newer report was stored, or one in an hour that had
 * been closed. Two rows or three.
 */
export const stampStatement = (): Statement =>
  render(
    sql`select (select max(id) from reports) as c0, (select group_concat(hour) from open_hours) as c1`,
  )

/** [least key], null where there are no reports. One row. */
export const oldestStatement = (): Statement =>
  render(sql`select min(reports.id) as c0 from reports`)
