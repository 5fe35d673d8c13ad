/** What an automaton reads at a position: the class of the character there, and which of its looks hold. */

/** Beyond these the numbers start anew, with the next text. */
const MOST_SYMBOLS = 65_536

/** Numbers for pairs of a class and the looks that hold, one bit each; pairs are numbered as texts bring them. */
export class Symbols {
  private readonly numbers = new Map<number, number>()
  readonly classes: number[] = []
  readonly looks: number[] = []

  /** @param size how many classes there are, the end of the text included */
  constructor(private readonly size: number) {
    // Without looks a class is its own number.
    for (let taken = 0; taken < size; taken += 1) this.number(taken, 0)
  }

  get count(): number {
    return this.classes.length
  }

  get full(): boolean {
    return this.count > this.size + MOST_SYMBOLS
  }

  number(taken: number, looks: number): number {
    const key = looks * this.size + taken
    let number = this.numbers.get(key)
    if (number === undefined) {
      this.numbers.set(key, (number = this.classes.push(taken) - 1))
      this.looks.push(looks)
    }
    return number
  }
}
