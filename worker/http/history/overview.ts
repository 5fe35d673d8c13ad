/** `GET /insight/v1/history`: what the history holds, day by day, and what waits for it. */

import { lagOf } from '../../history/lag.ts'
import { dateOf } from '../../history/bucket.ts'
import { readHistory } from '../../store/history.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'

export async function historyOverview(call: Call): Promise<Response> {
  const { databases, history, settings } = call.var
  const database = databases.nearest()
  const { days, waiting } = await readHistory(database)
  const sumOf = (name: 'reports' | 'bytes'): number => days.reduce((sum, day) => sum + day[name], 0)
  const answer = {
    mode: history === null ? 'off' : settings.HISTORY_MODE,
    first: days[0] ? dateOf(days[0].day) : null,
    last: days.length > 0 ? dateOf(days.at(-1)!.day) : null,
    reports: sumOf('reports'),
    bytes: sumOf('bytes'),
    /** Seconds since the first day that is missing was due. */
    lag: history === null ? 0 : Math.round(lagOf(waiting[0] ?? null, Date.now()) / 1000),
    waiting: waiting.map(dateOf),
    gaps: gapsOf(days.map(({ day }) => day)),
    days: days.map(({ day, ...rest }) => ({ date: dateOf(day), ...rest })),
  }
  return objectResponse(answer, 'ok', costHeaders(call, database))
}

/** Days between the first and the last that have no part: on them no report was produced, or the history was off. */
const gapsOf = (days: readonly number[]): { from: string; until: string }[] =>
  days.flatMap((day, index) => {
    const before = days[index - 1]
    return before === undefined || before === day - 1
      ? []
      : [{ from: dateOf(before + 1), until: dateOf(day - 1) }]
  })
