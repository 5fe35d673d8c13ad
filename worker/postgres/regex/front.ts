/** Nodes of a program that are reached at the same time, each once. */
import type { Effort } from './effort.ts'
import type { Program } from './program.ts'

export class Front {
  /** Without splits, which lead on by themselves. Grows as nodes are added. */
  readonly nodes: number[] = []
  private readonly seen: Uint32Array
  private round = 0
  private readonly open: number[] = []

  constructor(
    private readonly program: Program,
    private readonly effort: Effort,
  ) {
    this.seen = new Uint32Array(program.nodes.length)
  }

  clear(): void {
    this.nodes.length = 0
    this.round += 1
  }

  /** Adds a node, or all that a split leads to. */
  add(node: number): void {
    const { nodes: program } = this.program
    this.open.push(node)
    for (let index = this.open.pop(); index !== undefined; index = this.open.pop()) {
      if (this.seen[index] === this.round) continue
      this.seen[index] = this.round
      this.effort.spend(1)
      const reached = program[index]!
      if (reached.kind === 'split') for (const one of reached.next) this.open.push(one)
      else this.nodes.push(index)
    }
  }
}
