/** The numbers of a quantifier in braces: `{2}`, `{2,}`, `{2,5}`. */
import { fail, type PatternReader } from './reader.ts'

export type Bounds = { readonly least: number; readonly most: number | null }

/** PostgreSQL's largest count (DUPMAX). */
export const MAX_COUNT = 255

/** Reads bounds to the closing brace and a `?` behind it; the opening brace is taken and a digit follows. */
export function readBounds(reader: PatternReader, expanded: boolean): Bounds {
  let character = take(reader, expanded)
  const count = (): number => {
    let sum = 0
    while (isDigit(character) && sum < MAX_COUNT) {
      sum = sum * 10 + Number(character)
      character = take(reader, expanded)
    }
    return isDigit(character) || sum > MAX_COUNT ? fail('count') : sum
  }
  const least = count()
  let most: number | null = least
  if (character === ',') {
    character = take(reader, expanded)
    most = isDigit(character) ? count() : null
    if (most !== null && least > most) fail('count')
  }
  if (character !== '}') fail('count')
  reader.takes('?')
  return { least, most }
}

function take(reader: PatternReader, expanded: boolean): string {
  if (expanded) reader.skipSpace()
  if (reader.isAtEnd) fail('braces')
  const character = reader.take()
  return isDigit(character) || character === ',' || character === '}' ? character : fail('count')
}

const isDigit = (character: string) => /[0-9]/.test(character)
