/**
 * The symbol that an automaton reads at a position: the class of the character, and the lookarounds that
 * hold there.
 */

/** The most symbols; beyond them the numbers start again with the next text. */
const MOST_SYMBOLS = 65_536

/** Numbers for pairs of a class and the lookarounds that hold, one bit each, assigned as texts contain them. */
export class Symbols {
  /** By class and lookarounds. */
  private readonly numbers: readonly Map<number, number>[]
  readonly classes: number[] = []
  readonly lookarounds: number[] = []

  /** @param size number of classes, the end of the text included */
  constructor(size: number) {
    this.numbers = Array.from({ length: size }, () => new Map<number, number>())
    // Without lookarounds a class is its own number.
    for (const characterClass of this.numbers.keys()) this.number(characterClass, 0)
  }

  get count(): number {
    return this.classes.length
  }

  get full(): boolean {
    return this.count > MOST_SYMBOLS
  }

  number(characterClass: number, lookarounds: number): number {
    const ofClass = this.numbers[characterClass]!
    let number = ofClass.get(lookarounds)
    if (number === undefined) {
      ofClass.set(lookarounds, (number = this.count))
      this.classes.push(characterClass)
      this.lookarounds.push(lookarounds)
    }
    return number
  }
}
