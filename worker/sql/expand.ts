/** What hangs on reports and is answered inside their rows: their events, and bodies too long for a page. */

import { sql, type SQL } from 'drizzle-orm'
import { invariant } from '../lib/invariant.ts'
import { ENTITIES, fieldOf } from '../schema/entities.ts'
import { bodyParts, events, longValues, reports, resources } from '../schema/tables.ts'
import { listRows, render } from './render.ts'
import type { CompiledSelect } from './select.ts'
import { keyPosition, orderClause } from './position.ts'
import type { Statement } from './statement.ts'
import { outputOf } from './values.ts'

/** Fields of an event inside its report, in PuppetDB's order. */
const EVENT_FIELDS = [
  'status',
  'timestamp',
  'resource_type',
  'resource_title',
  'property',
  'corrective_change',
  'new_value',
  'old_value',
  'message',
  'file',
  'line',
  'containment_path',
  'containing_class',
  'name',
]

const EVENTS = ENTITIES.get('events')!

/** Events of some reports, as a select whose pages follow one another by report and number. */
export function compileEventsOf(reportKeys: SQL): CompiledSelect {
  const position = keyPosition(EVENTS, 'asc')
  const outputs = EVENT_FIELDS.map((name) => {
    const field = fieldOf(EVENTS, name)
    invariant(field, `events have the field ${name}`)
    return { name, ...outputOf(field) }
  })
  return {
    columns: outputs.map(({ name, decoding }) => ({ name, decoding })),
    position,
    extras: ['long'],
    nearby: null,
    limit: null,
    offset: 0,
    select: outputs.map((output) => output.sql),
    from: sql`${events} join ${resources} on ${resources.id} = ${events.resource}`,
    where: sql`${events.report} in ${reportKeys}`,
    groupBy: sql``,
    orderBy: orderClause(position),
    total: sql`select null as c0`,
  }
}

/** A whole body, however long: its pieces in order, in hex. */
export const bodyStatement = (key: number): Statement =>
  render(sql`select hex(data) as c0 from (
    select ${reports.body} as data, 0 as part from ${reports} where ${reports.id} = ${key}
    union all
    select ${bodyParts.data}, ${bodyParts.part} from ${bodyParts} where ${bodyParts.report} = ${key}
  ) order by part`)

/** The long values of some events, piece by piece: [report, n, field, data]. */
export const longValuesStatement = (keys: readonly number[]): Statement =>
  render(sql`select ${longValues.report}, ${longValues.n}, ${longValues.field}, ${longValues.data}
    from ${longValues} where ${longValues.report} in ${listRows(keys)}
    order by ${longValues.report}, ${longValues.n}, ${longValues.field}, ${longValues.part}`)
