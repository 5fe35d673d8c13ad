// Times, sizes and numbers, as they are written and shown.
import { reader } from './fields.js'

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const BYTES = { '': 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }
const TIME = 'a time: write it like 300ms or 2s, at most 24 days'
const SIZE = 'a size up to 2GiB: write it like 500, 64KiB or 10MiB'

/** The number, or undefined where it is not from `low` to `high`. */
export const within = (low: number, number: number, high: number) =>
  number >= low && number <= high ? number : undefined

/** A reader of an amount with its unit, or of a number, which is in the smallest one. */
const quantity = (what: string, units: Readonly<Record<string, number>>, most: number) =>
  reader(what, (given: string | number) => {
    const [, amount, unit] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(String(given).trim()) ?? []
    const whole = Math.floor(Number(amount) * units[unit])
    return within(0, typeof given === 'number' ? given : whole, most)
  })

// A timer of Node above it fires at once.
const LONGEST = 2 ** 31 - 1
// A larger Buffer is beyond what every supported Node can hold.
const LARGEST = 2 * BYTES.GiB

/** Reads '300ms', '2s', '1.5m', '1h' or a number of milliseconds; gives milliseconds. */
export const parseDuration = quantity(TIME, MILLISECONDS, LONGEST)

/** Reads '500', '64KiB', '10MiB' or '1GiB'; gives bytes. */
export const parseSize = quantity(SIZE, BYTES, LARGEST)

/** A reader of whole numbers from `low` to `high`, given as numbers or in decimal digits. */
export const wholeNumber = (low: number, high: number, what = 'a whole number') =>
  reader(`${what} from ${low} to ${high}`, (given: number | string) =>
    /^\d+$/.test(String(given)) ? within(low, Number(given), high) : undefined,
  )

/** A reader of one of a few words. */
export const oneOf = <Word extends string>(words: readonly Word[], what = 'one of ') =>
  reader(what + words.join(', '), (given: Word) => words.find((word) => word === given))

/** '92 B', '1.7 kB', '3.2 MB', '1.1 GB' (powers of 1000). */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_950) return `${(bytes / 1e3).toFixed(1)} kB`
  if (bytes < 999_950_000) return `${(bytes / 1e6).toFixed(1)} MB`
  return `${(bytes / 1e9).toFixed(1)} GB`
}

/** '0.6 ms', '14 ms', '2.5 s', from milliseconds. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  return `${Number((milliseconds / 1000).toFixed(1))} s`
}

/** A function that keeps its last result: the text of a date is dear, and asked for again and again. */
export function keepLast<Value>(make: (key: number) => Value): (key: number) => Value {
  let last: { readonly key: number; readonly value: Value } | null = null
  return (key) => (last = last?.key === key ? last : { key, value: make(key) }).value
}

/** '1 request', '2 requests'. */
export const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
