/** The characters of a pattern in as few classes as tell its sets and places apart. */
import { LAST_CHARACTER } from './characters.ts'
import { neighbourAt, setsAround, type Neighbour } from './place.ts'
import { children, type CharacterSet, type Place, type Tree } from './tree.ts'

const ASCII_SIZE = 128

/** Characters beyond take two code units of a JavaScript string. */
const LAST_SINGLE = 0xffff

export class Alphabet {
  /** How many classes there are; as a class, this number is the end of the text. */
  readonly size: number
  /** What characters of each class are to places beside them. The end of the text is the last. */
  readonly neighbours: readonly Neighbour[]
  /** Classes of ASCII characters. */
  readonly ascii: Uint16Array
  /** Where each class begins; a class is a run of characters. */
  private readonly starts: Int32Array

  constructor(tree: Tree) {
    const around = [...new Set(placesOf(tree).flatMap(setsAround))]
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

  /** One character of a class, which stands for all of them. */
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

const placesOf = (tree: Tree): readonly Place[] =>
  tree.kind === 'place' ? [tree.place] : children(tree).flatMap(placesOf)
