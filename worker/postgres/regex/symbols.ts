/**
 * The symbol that an automaton reads at a position: the class of the character, and the lookarounds that
 * hold there.
 */

/** The most symbols; beyond them the numbers start again with the next text. */
const MOST_SYMBOLS = 65_536

/** Numbers for pairs of a class and the lookarounds that hold, one bit each, assigned as texts contain them. */
export class Symbols {
  private readonly numbers = new Map<number, number>()
  readonly classes: number[] = []
  readonly lookarounds: number[] = []

  /** @param size number of classes, the end of the text included */
  constructor(private readonly size: number) {
    // Without lookarounds a class is its own number.
    for (let characterClass = 0; characterClass < size; characterClass += 1)
      this.number(characterClass, 0)
  }

  get count(): number {
    return this.classes.length
  }

  get full(): boolean {
    return this.count > this.size + MOST_SYMBOLS
  }

  number(characterClass: number, lookarounds: number): number {
    const key = lookarounds * this.size + characterClass
    let number = this.numbers.get(key)
    if (number === undefined) {
      this.numbers.set(key, (number = this.classes.push(characterClass) - 1))
      this.lookarounds.push(lookarounds)
    }
    return number
  }
}
