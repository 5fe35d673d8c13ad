/** Times as an age or a clock, with the full time in UTC as their title. */

import { DAY, formatTimestamp, MINUTE } from '../../lib/time.ts'
import { html, type Html } from '../html.ts'
import { age } from '../format.ts'
import { dayLabel } from '../svg/ticks.ts'

/** `48 min ago`, `5 h ago`: the one form of a time in a list. A clock that is ahead shows a time to come as now. */
export function when(timestamp: string | null, now: number): Html {
  return timestamp === null ? '' : element(timestamp, saidWhen(timestamp, now))
}

/** The same in words, for a name that is read aloud. */
export const saidWhen = (timestamp: string, now: number): string => {
  const passed = now - Date.parse(timestamp)
  return passed < MINUTE ? 'now' : `${age(passed)} ago`
}

/** Whether a time is of the same day in UTC. @param now in ms */
const isToday = (timestamp: string, now: number): boolean =>
  Math.floor(Date.parse(timestamp) / DAY) === Math.floor(now / DAY)

/** A moment after "since": `15:58`, `3 Nov 15:58` of another day, `3 Nov 2025 15:58` of another year. */
export function moment(timestamp: string, now: number): Html {
  const clock = timestamp.slice(11, 16)
  if (isToday(timestamp, now)) return element(timestamp, clock)
  const time = new Date(timestamp)
  const day = dayLabel(time.getTime())
  const year = time.getUTCFullYear()
  return element(
    timestamp,
    year === new Date(now).getUTCFullYear() ? `${day} ${clock}` : `${day} ${year} ${clock}`,
  )
}

/** `06:08:32`, when the page was made. @param now in ms */
export const updated = (now: number): Html => clock(formatTimestamp(now))

/** The full time with its zone, which the browser replaces together: `2026-03-02 06:00:00 UTC`. */
export const exactly = (timestamp: string): Html =>
  element(timestamp, `${timestamp.slice(0, 19).replace('T', ' ')} UTC`)

/** `06:00:00`, where the day is known. Log lines may be in their node's time zone, so the time is converted to UTC. */
export function clock(timestamp: string): Html {
  const time = Date.parse(timestamp)
  const utc = Number.isNaN(time) ? timestamp : new Date(time).toISOString()
  return element(utc, utc.slice(11, 19))
}

const element = (timestamp: string, shown: string): Html =>
  html`<time datetime="${timestamp}" title="${timestamp.slice(0, 19).replace('T', ' ')} UTC"
    >${shown}</time
  >`

/** The zone of a page's times, said once on each page. */
export const zone = (): Html =>
  html`<abbr data-zone title="All times on this page are in this zone">UTC</abbr>`
