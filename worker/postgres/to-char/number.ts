/** How PostgreSQL's `to_char(integer, mask)` reads its mask (formatting.c, NUMDesc_prepare). */
import { QueryError } from '../../lib/errors.ts'
import { readText } from './text.ts'

/** The signs of a mask. D and G are point and comma under the C locale. */
export type Sign = '9' | '0' | '.' | ',' | 'FM' | 'MI' | 'PL' | 'PR' | 'SG' | 'S'

/** Longest first, since the longest match counts. Patterns without a sign are not supported. */
const PATTERNS: readonly (readonly [string, Sign?])[] = [
  ['EEEE'],
  ['FM', 'FM'],
  ['MI', 'MI'],
  ['PL', 'PL'],
  ['PR', 'PR'],
  ['RN'],
  ['SG', 'SG'],
  ['SP'],
  ['TH'],
  ['B'],
  ['C'],
  ['D', '.'],
  ['G', ','],
  ['L'],
  ['S', 'S'],
  ['V'],
  [',', ','],
  ['.', '.'],
  ['0', '0'],
  ['9', '9'],
]

type Element =
  | { readonly kind: 'sign'; readonly sign: Sign }
  | { readonly kind: 'text'; readonly text: string }

/** A parsed mask for numbers; layout.ts applies it. */
export type NumberMask = {
  readonly elements: readonly Element[]
  /** Digits before and after the point. */
  readonly before: number
  readonly after: number
  readonly isDecimal: boolean
  readonly isTight: boolean
  /** The position of the first 0, from where zeros are written, and the digits up to the last one. */
  readonly zeroStart: number | undefined
  readonly zeroEnd: number
  readonly anchored: 'before' | 'after' | undefined
  readonly plus: boolean
  readonly minus: boolean
  readonly brackets: boolean
}

/** Reads a mask. @throws QueryError for what PostgreSQL refuses and for unsupported patterns */
export function readNumberMask(mask: string): NumberMask {
  const elements = readElements(mask)
  const signs = elements.flatMap((element) => (element.kind === 'sign' ? [element.sign] : []))
  refuseClashes(signs)
  const point = signs.indexOf('.')
  const isDigit = (sign: Sign) => sign === '9' || sign === '0'
  const digits = signs.filter(isDigit)
  const before = (point < 0 ? signs : signs.slice(0, point)).filter(isDigit).length
  const zeroStart = digits.indexOf('0')
  const anchor = signs.indexOf('S')
  const anchorDigits = signs.slice(0, Math.max(anchor, 0)).filter(isDigit).length
  const isAnchoredAfter = (point >= 0 && anchor > point) || anchorDigits === before
  return {
    elements,
    before,
    after: digits.length - before,
    isDecimal: point >= 0,
    isTight: signs.includes('FM'),
    zeroStart: zeroStart >= 0 && zeroStart < before ? zeroStart : undefined,
    zeroEnd: digits.lastIndexOf('0') + 1,
    anchored: anchor < 0 ? undefined : isAnchoredAfter ? 'after' : 'before',
    plus: signs.includes('PL') || signs.includes('SG'),
    minus: signs.includes('MI') || signs.includes('SG'),
    brackets: signs.includes('PR'),
  }
}

function readElements(mask: string): readonly Element[] {
  const elements: Element[] = []
  let rest = mask
  while (rest !== '') {
    const pattern = PATTERNS.find(
      ([key]) => rest.startsWith(key) || rest.startsWith(key.toLowerCase()),
    )
    if (pattern) {
      const [key, sign] = pattern
      if (!sign)
        throw new QueryError(`The pattern ${key} is not supported in a to_string mask for numbers`)
      elements.push({ kind: 'sign', sign })
      rest = rest.slice(key.length)
    } else {
      const [length, text] = readText(rest)
      elements.push({ kind: 'text', text })
      rest = rest.slice(length)
    }
  }
  return elements
}

/** The signs that may not follow others, with PostgreSQL's error texts. */
const CLASHES: readonly (readonly [Sign, readonly Sign[], string])[] = [
  ['.', ['.'], 'multiple decimal points'],
  ['9', ['PR'], '"9" must be ahead of "PR"'],
  ['0', ['PR'], '"0" must be ahead of "PR"'],
  ['S', ['S'], 'cannot use "S" twice'],
  ['S', ['PL', 'MI', 'SG', 'PR'], 'cannot use "S" and "PL"/"MI"/"SG"/"PR" together'],
  ['MI', ['S'], 'cannot use "S" and "MI" together'],
  ['PL', ['S'], 'cannot use "S" and "PL" together'],
  ['SG', ['S'], 'cannot use "S" and "SG" together'],
  ['PR', ['S', 'PL', 'MI', 'SG'], 'cannot use "PR" and "S"/"PL"/"MI"/"SG" together'],
]

function refuseClashes(signs: readonly Sign[]): void {
  const seen = new Set<Sign>()
  for (const sign of signs) {
    for (const [second, firsts, sentence] of CLASHES)
      if (sign === second && firsts.some((first) => seen.has(first)))
        throw new QueryError(`ERROR: ${sentence}`)
    seen.add(sign)
  }
}
