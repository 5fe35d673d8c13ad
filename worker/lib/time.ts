/** Parses and prints the API's timestamps. The code holds times as integer milliseconds since 1970, UTC. */

export const MINUTE = 60_000
export const HOUR = 3_600_000
export const DAY = 86_400_000

/** ISO 8601 in UTC with three decimals, as `formatTimestamp` writes it. */
export type Timestamp = string

const two = (value: number): string => (value < 10 ? `0${value}` : String(value))
const three = (value: number): string => (value < 100 ? `0${two(value)}` : String(value))

/** Caches the day that was formatted last: the rows of an answer mostly share a few days. */
let lastDay = { number: NaN, text: '' }

/**
 * `2026-03-02T06:00:00.000Z`: UTC with exactly three decimals, the pattern that clients parse. Formats by hand:
 * a page holds some thousand times, and toISOString would take a third of the time to print it.
 */
export function formatTimestamp(milliseconds: number): Timestamp {
  const number = Math.floor(milliseconds / DAY)
  if (number !== lastDay.number) {
    lastDay = { number, text: new Date(number * DAY).toISOString().slice(0, -13) }
  }
  const rest = milliseconds - number * DAY
  const clock = `${two(Math.floor(rest / HOUR))}:${two(Math.floor(rest / MINUTE) % 60)}:${two(Math.floor(rest / 1000) % 60)}`
  return `${lastDay.text}${clock}.${three(rest % 1000)}Z`
}

/** The date formats of PuppetDB's parser: year, month, day; week dates; ordinal dates; the basic forms. */
const DATES: readonly (readonly [RegExp, (digits: number[]) => number | null])[] = [
  [/^(\d{4})(\d{2})(\d{2})$/, ([y, m, d]) => calendarDay(y!, m!, d!)],
  [/^([+-]?\d{1,6})$/, ([y]) => calendarDay(y!, 1, 1)],
  [/^([+-]?\d{1,6})-(\d{1,2})$/, ([y, m]) => calendarDay(y!, m!, 1)],
  [/^([+-]?\d{1,6})-(\d{1,2})-(\d{1,2})$/, ([y, m, d]) => calendarDay(y!, m!, d!)],
  [/^(\d{4})-?W(\d{1,2})$/, ([y, w]) => weekDay(y!, w!, 1)],
  [/^(\d{4})-W(\d{1,2})-(\d)$/, ([y, w, d]) => weekDay(y!, w!, d!)],
  [/^(\d{4})W(\d{2})(\d)$/, ([y, w, d]) => weekDay(y!, w!, d!)],
  [/^(\d{4})-(\d{3})$/, ([y, n]) => ordinalDay(y!, n!)],
]

const TIME =
  /^(?:(\d{1,2})(?:[.,](\d+))?|(\d{1,2}):(\d{1,2})(?:[.,](\d+))?|(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?|(\d{2})(\d{2})(\d{2})(?:[.,](\d+))?)$/
const ZONE = /(?:([zZ])|([+-])(\d{2}):?(\d{2})?)$/

/**
 * Parses a timestamp of a query into ms; null where it is none. Accepts the formats of PuppetDB: ISO 8601 dates
 * with any of their parts left out, `YYYY-MM-DD hh:mm:ss`, and times of 1970's first day. Without a zone the
 * time is UTC. Cuts digits beyond the millisecond off and does not round.
 */
export function parseTimestamp(text: string): number | null {
  const spaced = /^(\d{4}-\d{1,2}-\d{1,2}) (\d{1,2}:\d{1,2}:\d{1,2})$/.exec(text)
  if (spaced) return parseTimestamp(`${spaced[1]}T${spaced[2]}`)
  const split = text.search(/[Tt]/)
  if (split < 0) return /^\d{1,2}:/.test(text) ? clockTime(text, 0) : dateOf(text)
  const day = split === 0 ? 0 : dateOf(text.slice(0, split))
  if (day === null) return null
  if (split < text.length - 1) return clockTime(text.slice(split + 1), day)
  return split === 0 ? null : day
}

function dateOf(text: string): number | null {
  for (const [form, read] of DATES) {
    const match = form.exec(text)
    if (match) return read(match.slice(1).map(Number))
  }
  return null
}

/** Adds a clock time, with an optional zone, to a day's ms. */
function clockTime(text: string, day: number): number | null {
  const zone = ZONE.exec(text)
  const match = TIME.exec(zone ? text.slice(0, zone.index) : text)
  if (!match) return null
  const [hours, minutes, seconds, fraction, unit] = clockParts(match)
  if (hours > 23 || minutes > 59 || seconds > 59) return null
  const offset = zone?.[2] ? (Number(zone[3]) * 60 + Number(zone[4] ?? 0)) * 60_000 : 0
  if (offset >= DAY) return null
  const clock = ((hours * 60 + minutes) * 60 + seconds) * 1000 + Math.floor(fraction * unit)
  return day + clock - (zone?.[2] === '-' ? -offset : offset)
}

/** Hours, minutes, seconds, the fraction, and the ms of the unit that the fraction belongs to. */
function clockParts(match: RegExpExecArray): [number, number, number, number, number] {
  const part = (index: number): number => Number(match[index])
  // Cut, because a longer fraction could round up; no clock has so many digits.
  const fraction = (index: number): number => Number(`0.${(match[index] ?? '0').slice(0, 15)}`)
  if (match[1] !== undefined) return [part(1), 0, 0, fraction(2), HOUR]
  if (match[3] !== undefined) return [part(3), part(4), 0, fraction(5), 60_000]
  if (match[6] !== undefined) return [part(6), part(7), part(8), milli(match[9]), 1000]
  return [part(10), part(11), part(12), milli(match[13]), 1000]
}

/** A fraction of a second cut to whole ms. Works on digits, so that rounding of doubles can't add one. */
const milli = (digits: string | undefined): number =>
  Number((digits ?? '').slice(0, 3).padEnd(3, '0')) / 1000 + 1e-9

function calendarDay(year: number, month: number, day: number): number | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const right = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return right ? date.getTime() : null
}

function ordinalDay(year: number, number: number): number | null {
  const first = calendarDay(year, 1, 1)!
  const date = new Date(first + (number - 1) * DAY)
  return number >= 1 && date.getUTCFullYear() === year ? date.getTime() : null
}

/** ISO 8601: week 1 contains January 4th, and weeks begin on Monday. */
function weekDay(year: number, week: number, day: number): number | null {
  const fourth = calendarDay(year, 1, 4)!
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY
  const start = monday + (week - 1) * 7 * DAY
  const right =
    week >= 1 && day >= 1 && day <= 7 && new Date(start + 3 * DAY).getUTCFullYear() === year
  return right ? start + (day - 1) * DAY : null
}
