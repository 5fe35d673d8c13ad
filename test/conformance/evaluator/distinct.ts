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
  const within = events.filter(
    (event) =>
      instant(event['timestamp']!)! >= instant(start)! &&
      instant(event['timestamp']!)! <= instant(end)! &&
      (latest === null || event['latest_report?'] === latest),
  )
  const newest = new Map<string, number>()
  for (const event of within) {
    const time = instant(event['timestamp']!)!
    newest.set(propertyOf(event), Math.max(time, newest.get(propertyOf(event)) ?? -Infinity))
  }
  return within.filter((event) => instant(event['timestamp']!) === newest.get(propertyOf(event)))
}
