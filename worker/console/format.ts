/** Formats numbers, ages and durations for sentences. */

/** `1,234`. Whole numbers are formatted by hand: a page has some hundred, and loading a locale is slow. */
export const number = (value: number): string =>
  Number.isInteger(value)
    ? String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
    : value.toLocaleString('en-US')

/** `1 node`, `2 nodes`. @param many the plural, if it is not formed with an s */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** `2 of 12 lines`, or `12 lines` for all. */
export const part = (some: number, all: number, one: string): string =>
  `${some === all ? '' : `${number(some)} of `}${counted(all, one)}`

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** A time in ms in the largest unit that fits: `4 h`, `3 d`. */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds / 1000)
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[3]
  return `${number(Math.floor(seconds / length))} ${unit}`
}

/** A duration in seconds: `0.04 s`, `9.1 s`, `41 s`, `5 min`, `2 min 5 s`, `1 h 12 min`. */
export function duration(seconds: number): string {
  if (seconds < 0.995) return `${seconds.toFixed(2)} s`
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return parts(Math.floor(whole / 60), 'min', whole % 60, 's')
  return parts(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'min')
}

const parts = (large: number, unit: string, small: number, smallUnit: string): string =>
  `${number(large)} ${unit}${small === 0 ? '' : ` ${small} ${smallUnit}`}`

/** A share of a whole: `0.3 %`, `12 %`. */
export const percent = (part: number): string =>
  `${(part * 100).toFixed(part > 0 && part < 0.0995 ? 1 : 0)} %`

/** With a capital letter in front. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Words after each other: `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
