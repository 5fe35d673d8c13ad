/** The time span of a page: the last hours or days, or from one time to another. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import { formatTimestamp, HOUR, parseTimestamp } from '../lib/time.ts'
import { illegalValue } from '../schema/readers.ts'

/** The values of `since`, with their labels. */
export const SPANS: Readonly<Record<string, { readonly hours: number; readonly name: string }>> = {
  '1h': { hours: 1, name: 'last hour' },
  '6h': { hours: 6, name: 'last 6 hours' },
  '24h': { hours: 24, name: 'last 24 hours' },
  '3d': { hours: 72, name: 'last 3 days' },
  '7d': { hours: 168, name: 'last 7 days' },
  '14d': { hours: 336, name: 'last 14 days' },
  '30d': { hours: 720, name: 'last 30 days' },
  '90d': { hours: 2160, name: 'last 90 days' },
}

/** The default span of most pages. Links to others name it, as those have other defaults and would count other runs. */
export const DEFAULT_SPAN = '24h'

export interface Span {
  /** In ms; from `since`, inclusive, to `until`, exclusive. */
  readonly since: number
  readonly until: number
  /** In a sentence: `last 24 hours`. */
  readonly name: string
  /** The value of `since`; null if the span is absolute or unbounded. */
  readonly choice: string | null
}

/** @param defaultSpan the default of `since`; null for all time. @throws QueryError for an invalid time */
export function spanOf(parameters: URLSearchParams, now: number, defaultSpan: string | null): Span {
  const [from, to] = ['from', 'to'].map((name) => timeParameter(parameters, name))
  if (from != null || to != null) {
    const [since, until] = [from ?? 0, to ?? now]
    if (since >= until) {
      throw new QueryError(
        `The span ends before it begins: from ${formatTimestamp(since)} to ${formatTimestamp(until)}.`,
      )
    }
    return { since, until, name: between(from, to), choice: null }
  }
  const choice = parameters.get('since') || defaultSpan
  // Some clocks are ahead; their reports must not be hidden.
  const until = now + HOUR
  if (choice === null || choice === 'all')
    return { since: 0, until, name: 'all time', choice: null }
  const span = Object.hasOwn(SPANS, choice) ? SPANS[choice] : undefined
  if (!span) {
    const choices = [...Object.keys(SPANS), 'all']
    throw illegalValue('since', choice, {
      expected: `one of ${choices.join(', ')}`,
      hint: suggestion(choice, choices),
    })
  }
  return { since: now - span.hours * HOUR, until, name: span.name, choice }
}

function timeParameter(parameters: URLSearchParams, name: string): number | null {
  const text = parameters.get(name)
  if (!text) return null
  const time = parseTimestamp(text)
  if (time === null) {
    throw illegalValue(name, text, { expected: 'a time such as 2026-03-02T06:00:00Z', hint: '' })
  }
  return time
}

/** `2026-03-02 06:00 UTC`. */
export const minuteOf = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function between(from: number | null | undefined, to: number | null | undefined): string {
  if (from == null) return `until ${minuteOf(to!)}`
  return to == null ? `since ${minuteOf(from)}` : `${minuteOf(from)} to ${minuteOf(to)}`
}
