/** Times, shown as short as possible, with the full time in UTC as their title. */

import { DAY } from '../../lib/time.ts'
import { html, type Html } from '../html.ts'
import { age } from '../format.ts'

/** `15:58` for today, otherwise an age: `7 h`, `3 d`. */
export function when(timestamp: string | null, now: number): Html {
  if (timestamp === null) return ''
  const time = Date.parse(timestamp)
  const today = Math.floor(time / DAY) === Math.floor(now / DAY)
  return element(timestamp, today ? timestamp.slice(11, 16) : age(now - time))
}

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
