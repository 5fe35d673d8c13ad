/** `GET /insight/v1/history`: what the history holds, by month and day, and what waits for it. */

import { lagOf } from '../../history/lag.ts'
import { dateOf } from '../../history/bucket.ts'
import { readHistory } from '../../store/history.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'

export async function historyOverview(call: Call): Promise<Response> {
  const { databases, history, settings } = call.var
  const database = databases.nearest()
  const { days, months, daysOfMonths, waiting } = await readHistory(database)
  const held = [...new Set([...daysOfMonths, ...days.map(({ day }) => day)])].toSorted(
    (one, other) => one - other,
  )
  const sumOf = (name: 'reports' | 'bytes'): number =>
    [...days, ...months].reduce((sum, one) => sum + one[name], 0)
  const answer = {
    mode: history === null ? 'off' : settings.HISTORY_MODE,
    first: held[0] === undefined ? null : dateOf(held[0]),
    last: held.length === 0 ? null : dateOf(held.at(-1)!),
    reports: sumOf('reports'),
    bytes: sumOf('bytes'),
    /** Seconds since the first day that is missing was due. */
    lag: history === null ? 0 : Math.round(lagOf(waiting[0] ?? null, Date.now()) / 1000),
    waiting: waiting.map(dateOf),
    gaps: gapsOf(held),
    months: months.map(({ month, ...rest }) => ({ month: dateOf(month).slice(0, 7), ...rest })),
    days: days.map(({ day, ...rest }) => ({ date: dateOf(day), ...rest })),
  }
  return objectResponse(answer, 'ok', costHeaders(call, database))
}

/** Days between the first and the last that have no report: on them no report was produced, or the history was off. */
const gapsOf = (days: readonly number[]): { from: string; until: string }[] =>
  days.flatMap((day, index) => {
    const before = days[index - 1]
    return before === undefined || before === day - 1
      ? []
      : [{ from: dateOf(before + 1), until: dateOf(day - 1) }]
  })
