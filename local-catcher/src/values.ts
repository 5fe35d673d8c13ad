import { UsageError } from './errors.js'

const MILLISECONDS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const BYTES: Record<string, number> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

// A timer of Node above 2^31 - 1 ms fires at once.
const LONGEST_TIMER = 2 ** 31 - 1

/** Reads '300ms', '2s', '1.5m' or '1h'; gives milliseconds; throws UsageError on anything else. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim())
  if (!match) throw new UsageError(`'${text}' is not a time: write it like 300ms or 2s`)
  const milliseconds = Number(match[1]) * MILLISECONDS[match[2]]
  if (milliseconds > LONGEST_TIMER) throw new UsageError(`'${text}' is longer than 24 days`)
  return milliseconds
}

/** Reads '500', '64KiB', '10MiB' or '1GiB'; gives bytes; throws UsageError on anything else. */
export function parseSize(text: string): number {
  const match = /^(\d+)(B|KiB|MiB|GiB)?$/.exec(text.trim())
  const bytes = match ? Number(match[1]) * BYTES[match[2] ?? 'B'] : NaN
  // Buffers above 2 GiB are beyond what every supported Node can hold.
  if (bytes <= 2 * BYTES.GiB) return bytes
  throw new UsageError(`'${text}' is not a size up to 2GiB: write it like 500, 64KiB or 10MiB`)
}

/** A reader of whole numbers from `low` to `high`, given as numbers or in decimal digits. */
export const wholeNumber = (low: number, high: number) => (value: number | string) => {
  const number = /^\d+$/.test(String(value)) ? Number(value) : NaN
  if (number >= low && number <= high) return number
  throw new UsageError(`'${value}' is not a whole number from ${low} to ${high}`)
}

/** A reader of one of a few words. */
export const oneOf =
  <Word extends string>(words: readonly Word[]) =>
  (value: string) => {
    if (words.includes(value as Word)) return value as Word
    throw new UsageError(`'${value}' is not one of ${words.join(', ')}`)
  }

/** '92 B', '1.7 kB', '3.2 MB', '1.1 GB' (powers of 1000). */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_950) return `${(bytes / 1e3).toFixed(1)} kB`
  if (bytes < 999_950_000) return `${(bytes / 1e6).toFixed(1)} MB`
  return `${(bytes / 1e9).toFixed(1)} GB`
}

/** '0.6 ms', '14 ms', '2.5 s', from milliseconds. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) {
    const tenths = Math.round(milliseconds * 10)
    return `${Math.floor(tenths / 10)}.${tenths % 10} ms`
  }
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  return `${Number((milliseconds / 1000).toFixed(1))} s`
}
