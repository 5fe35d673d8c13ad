/** Groups the characters that a pattern treats alike into classes. */
import { LAST_CHARACTER } from './characters.ts'
import { neighbourAt, setsAround, type Neighbour } from './assertion.ts'
import { children, type CharacterSet, type Assertion, type Tree } from './tree.ts'

const ASCII_SIZE = 128

/** Characters from here on are two code units of a JavaScript string. */
const LAST_SINGLE = 0xffff

export class Alphabet {
  /** The number of classes; also the symbol for the end of the text. */
  readonly size: number
  /** The neighbour that each class is for assertions beside it. The end of the text is the last. */
  readonly neighbours: readonly Neighbour[]
  /** Classes of ASCII characters. */
  readonly ascii: Uint16Array
  /** The first code point of each run of characters of one class. */
  private readonly starts: Int32Array

  constructor(tree: Tree) {
    const around = [...new Set(assertionsOf(tree).flatMap(setsAround))]
    const bounds = new Set([0])
    for (const set of [...setsOf(tree), ...around])
      for (const [first, last] of set) {
        bounds.add(first)
        if (last < LAST_CHARACTER) bounds.add(last + 1)
      }
    this.starts = Int32Array.from(bounds).sort()
    this.size = this.starts.length
    this.neighbours = [...Array.from(this.starts, (point) => neighbourAt(point, around)), 'none']
    this.ascii = Uint16Array.from({ length: ASCII_SIZE }, (_, point) => this.classOf(point))
  }

  /** A representative character of the class. */
  sample(number: number): number {
    return this.starts[number]!
  }

  classOf(point: number): number {
    let low = 0
    let high = this.size
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.starts[middle]! <= point) low = middle
      else high = middle
    }
    return low
  }

  /** The classes of a text's characters. */
  read(text: string): Int32Array {
    const classes = new Int32Array(text.length)
    let length = 0
    for (let index = 0; index < text.length; index += 1) {
      const point = text.codePointAt(index)!
      if (point > LAST_SINGLE) index += 1
      classes[length] = point < ASCII_SIZE ? this.ascii[point]! : this.classOf(point)
      length += 1
    }
    return classes.subarray(0, length)
  }
}

const setsOf = (tree: Tree): readonly CharacterSet[] =>
  tree.kind === 'set' ? [tree.set] : children(tree).flatMap(setsOf)

const assertionsOf = (tree: Tree): readonly Assertion[] =>
  tree.kind === 'assertion' ? [tree.assertion] : children(tree).flatMap(assertionsOf)
