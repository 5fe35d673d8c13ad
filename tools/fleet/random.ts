/** Random draws that depend on a key only, so that they are the same on every machine. */

export interface Random {
  /** From 0 up to, not including, 1. */
  readonly fraction: () => number
  /** A whole number, both ends included. */
  readonly whole: (low: number, high: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
  readonly weighted: <T>(choices: readonly (readonly [value: T, weight: number])[]) => T
  readonly hex: (digits: number) => string
  readonly uuid: () => string
}

/** A separate generator for each key, so that draws do not depend on how many others were made. */
export function randomOf(...key: readonly number[]): Random {
  let state = key.reduce((hash, part) => mix((hash ^ part) + 0x9e3779b9), 0)
  const next = (): number => mix((state = (state + 0x6d2b79f5) | 0))
  const fraction = (): number => next() / 2 ** 32
  const whole = (low: number, high: number): number =>
    low + Math.floor(fraction() * (high - low + 1))
  const hex = (digits: number): string => {
    let text = ''
    while (text.length < digits) text += next().toString(16).padStart(8, '0')
    return text.slice(0, digits)
  }
  return {
    fraction,
    whole,
    hex,
    chance: (probability) => fraction() < probability,
    pick: (list) => list[whole(0, list.length - 1)]!,
    weighted: (choices) => {
      let left = fraction() * choices.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [value, weight] of choices) if ((left -= weight) < 0) return value
      return choices[0]![0]
    },
    uuid: () =>
      `${hex(8)}-${hex(4)}-4${hex(3)}-${(8 + (next() % 4)).toString(16)}${hex(3)}-${hex(12)}`,
  }
}

/** A step of murmur3's finisher: every bit of the number reaches every bit of the result. */
function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
