/** Random draws that a seed repeats. */

export class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) + 0x6d2b79f5) >>> 0
  }

  /** At least 0, below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!
  }

  /** Some of the items, at least one, each once, in random order. */
  some<Item>(items: readonly Item[], most: number): Item[] {
    const left = [...items]
    const count = Math.min(this.between(1, most), left.length)
    return Array.from({ length: count }, () => left.splice(this.between(0, left.length - 1), 1)[0]!)
  }

  /** One of the makers, as often as its weight says, and what it makes. */
  one<Item>(...weighted: readonly (readonly [weight: number, make: () => Item])[]): Item {
    let rest = this.next() * weighted.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, make] of weighted) if ((rest -= weight) < 0) return make()
    return weighted[0]![1]()
  }
}
