/** A moment, as short as it can be; the whole of it in UTC stands in its title. */

import { DAY } from '../../lib/time.ts'
import { html, type Html } from '../html.ts'
import { age } from '../words.ts'

/** `15:58` today, `7 h` or `3 d` before. */
export function when(timestamp: string | null, now: number): Html {
  if (timestamp === null) return ''
  const time = Date.parse(timestamp)
  const today = Math.floor(time / DAY) === Math.floor(now / DAY)
  return element(timestamp, today ? timestamp.slice(11, 16) : age(now - time))
}

/** `2026-03-02 06:00:00`, where the moment itself is asked for. */
export const exactly = (timestamp: string): Html =>
  element(timestamp, timestamp.slice(0, 19).replace('T', ' '))

/** `06:00:00`, where the day is known. Lines of a log may be in the zone of their node. */
export function clock(timestamp: string): Html {
  const time = Date.parse(timestamp)
  const utc = Number.isNaN(time) ? timestamp : new Date(time).toISOString()
  return element(utc, utc.slice(11, 19))
}

const element = (timestamp: string, shown: string): Html =>
  html`<time datetime="${timestamp}" title="${timestamp.slice(0, 19).replace('T', ' ')} UTC"
    >${shown}</time
  >`
