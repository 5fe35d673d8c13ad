/** The rows of `hour_counts`: which columns they have, and how reports are counted into them. */

/** The columns that reports are counted by beside the hour, and their SQL for a report `r`. -1 stands for null. */
const DIMENSIONS = {
  environment: 'r.environment',
  status: 'coalesce(r.status, -1)',
  noop: 'coalesce(r.noop, -1)',
  noop_pending: 'coalesce(r.noop_pending, -1)',
  type: 'r.type',
  clock_flags: 'r.clock_flags',
  state: 'r.state',
} as const

/** What tells the rows apart. */
export const HOUR_KEY = ['hour', ...Object.keys(DIMENSIONS)] as const
export const HOUR_COLUMNS = [...HOUR_KEY, 'count'].join(', ')

/**
 * SQL for the rows that some reports make.
 *
 * @param hour SQL for the hour of a report `r`
 * @param reports SQL for the reports, from FROM on
 */
export const countedByHour = (hour: string, reports: string): string => {
  const selected = Object.entries({ hour, ...DIMENSIONS, count: 'count(*)' })
  return `SELECT ${selected.map(([name, sql]) => `${sql} AS ${name}`).join(', ')}
${reports} GROUP BY ${HOUR_KEY.map((_, index) => index + 1).join(', ')}`
}
