/** Of each resource property the newest event within a window of time. */

import type { Tables } from './tables.ts'
import { canonical, instant, type Row } from './values.ts'

export interface Window {
  readonly start: string
  readonly end: string
  /** The window itself is narrowed where `latest_report?` is the whole query. */
  readonly latest: boolean | null
}

const propertyOf = (event: Row): string =>
  canonical(
    ['certname', 'resource_type', 'resource_title', 'property', 'name'].map((key) => event[key]!),
  )

export function distinctEvents({ start, end, latest }: Window, { events }: Tables): readonly Row[] {
  const [first, last] = [instant(start)!, instant(end)!]
  const within = events
    .map((event) => ({ event, time: instant(event['timestamp']!)! }))
    .filter(
      ({ event, time }) =>
        time >= first && time <= last && (latest === null || event['latest_report?'] === latest),
    )
    .map((one) => ({ ...one, property: propertyOf(one.event) }))
  const newest = new Map<string, number>()
  for (const { time, property } of within)
    newest.set(property, Math.max(time, newest.get(property) ?? -Infinity))
  return within.flatMap(({ event, time, property }) =>
    time === newest.get(property) ? [event] : [],
  )
}
