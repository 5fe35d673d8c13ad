/** The frontier of a simulated automaton: the nodes reached at one position, each once. */
import type { StepBudget } from './step-budget.ts'
import type { Program } from './program.ts'

export class Frontier {
  /** Excludes splits, which are followed at once. Grows as nodes are added. */
  readonly nodes: number[] = []
  private readonly seen: Uint32Array
  private round = 0
  private readonly pending: number[] = []

  constructor(
    private readonly program: Program,
    private readonly budget: StepBudget,
  ) {
    this.seen = new Uint32Array(program.nodes.length)
  }

  clear(): void {
    this.nodes.length = 0
    this.round += 1
  }

  /** Adds a node, or all nodes that a split leads to. */
  add(node: number): void {
    const { nodes: program } = this.program
    this.pending.push(node)
    for (let index = this.pending.pop(); index !== undefined; index = this.pending.pop()) {
      if (this.seen[index] === this.round) continue
      this.seen[index] = this.round
      this.budget.spend(1)
      const reached = program[index]!
      if (reached.kind === 'split') for (const one of reached.next) this.pending.push(one)
      else this.nodes.push(index)
    }
  }
}
