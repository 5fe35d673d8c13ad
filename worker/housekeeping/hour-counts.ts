/** The rows of `hour_counts`: their columns, and how to count reports into them. */

import { HOUR_DIMENSIONS, reports } from '../schema/tables.ts'
import { withoutNull } from '../sql/encoding.ts'

const DIMENSIONS = HOUR_DIMENSIONS.map((property) => reports[property])

/** The columns that distinguish the rows. */
export const HOUR_KEY: readonly string[] = ['hour', ...DIMENSIONS.map(({ name }) => name)]
export const HOUR_COLUMNS = [...HOUR_KEY, 'count'].join(', ')

const SELECTED = DIMENSIONS.map(
  ({ name, notNull }) => `${notNull ? `r.${name}` : withoutNull(`r.${name}`)} as ${name}`,
)

/**
 * SQL for the rows that count some reports.
 *
 * @param hour SQL for the hour of a report `r`
 * @param from SQL for the reports, from FROM on
 */
export const countedByHour = (hour: string, from: string): string =>
  `select ${[`${hour} as hour`, ...SELECTED, 'count(*) as count'].join(', ')}
${from} group by ${HOUR_KEY.map((_, index) => index + 1).join(', ')}`
