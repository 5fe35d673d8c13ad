/** The characters of a pattern in as few classes as tell its sets apart, and texts written in those classes. */
import { LAST_CHARACTER } from './characters.ts'
import { children, type CharacterSet, type Tree } from './tree.ts'

/** A text as code points, and the class of each. */
export type Line = { readonly points: Int32Array; readonly classes: Int32Array }

const ASCII_SIZE = 128

/** Characters beyond take two code units of a JavaScript string. */
const LAST_SINGLE = 0xffff

export class Alphabet {
  /** Where each class begins; a class is a run of characters. */
  private readonly starts: readonly number[]
  private readonly ascii: readonly number[]

  constructor(tree: Tree) {
    const bounds = new Set([0])
    for (const set of setsOf(tree))
      for (const [first, last] of set) {
        bounds.add(first)
        if (last < LAST_CHARACTER) bounds.add(last + 1)
      }
    this.starts = [...bounds].toSorted((a, b) => a - b)
    this.ascii = Array.from({ length: ASCII_SIZE }, (_, point) => this.search(point))
  }

  /** One character of a class, which stands for all of them. */
  sample(number: number): number {
    return this.starts[number] ?? 0
  }

  read(text: string): Line {
    const points = new Int32Array(text.length)
    const classes = new Int32Array(text.length)
    let length = 0
    for (let index = 0; index < text.length; index += 1) {
      const point = text.codePointAt(index) ?? 0
      if (point > LAST_SINGLE) index += 1
      points[length] = point
      classes[length] = this.ascii[point] ?? this.search(point)
      length += 1
    }
    return { points: points.subarray(0, length), classes: classes.subarray(0, length) }
  }

  private search(point: number): number {
    let low = 0
    let high = this.starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.starts[middle] ?? 0) <= point) low = middle
      else high = middle
    }
    return low
  }
}

const setsOf = (tree: Tree): readonly CharacterSet[] =>
  tree.kind === 'set' ? [tree.set] : children(tree).flatMap(setsOf)
