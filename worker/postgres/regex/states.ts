/** A lazily built deterministic automaton: its states are sets of nodes, computed when a text first needs them. */

import type { Alphabet } from './alphabet.ts'
import { holdsBetween, type Neighbour } from './assertion.ts'
import { holds } from './characters.ts'
import type { Program } from './program.ts'
import type { StepBudget } from './step-budget.ts'
import type { Symbols } from './symbols.ts'
import type { Assertion } from './tree.ts'

/** The most entries of the table, and nodes of states, that are cached; beyond either the cache is emptied. */
const MOST_ENTRIES = 1_000_000
const MOST_NODES = 200_000
const FIRST_ROWS = 16
/** Table entries that are filled or copied in about the time of one node. */
const COPIED_AT_ONCE = 64
/** The most arguments of one call. */
const NAMED_AT_ONCE = 4096

/** An entry that is not computed yet. */
export const UNKNOWN = -1
/** The state from which no match can be reached. */
export const DEAD = 0
/** An entry with a match is this number minus the next state. */
const ENDED = -2

/** Whether a match ends before the symbol of the entry. */
export const isEnded = (entry: number): boolean => entry <= ENDED
/** The next state of an entry. */
export const stateBehind = (entry: number): number => (entry <= ENDED ? ENDED - entry : entry)

/**
 * A state: nodes that consume a character or test a condition, without the nodes of a match that begins here,
 * and the neighbour before.
 */
interface State {
  readonly nodes: Uint16Array
  readonly before: Neighbour
}

export class States {
  /** The initial state. A state is the offset of its row in the table. */
  readonly initial: number
  /** The entry of each state and symbol. A larger table replaces it as states are added. */
  table: Int32Array
  private generation = 0
  private readonly states: State[] = []
  private readonly numbers = new Map<string, number>()
  private keptNodes = 0
  /** Whether a match may begin after the first position. */
  private readonly floating: boolean
  private readonly here: Frontier
  private readonly next: Frontier

  constructor(
    private readonly program: Program,
    private readonly alphabet: Alphabet,
    private readonly symbols: Symbols,
    private readonly budget: StepBudget,
    /** The number of symbols per row. */
    readonly stride: number,
  ) {
    this.here = new Frontier(program, budget)
    this.next = new Frontier(program, budget)
    this.floating = this.mayBeginLater()
    this.initial = stride
    this.table = new Int32Array(FIRST_ROWS * stride)
    this.forget()
  }

  /** The entry of a state and symbol. @throws QueryError once the step budget is spent */
  entry(state: number, symbol: number): number {
    const entry = this.table[state + symbol]!
    return entry === UNKNOWN ? this.enter(state, symbol) : entry
  }

  /** Computes the entry of a state and symbol. @throws QueryError once the step budget is spent */
  enter(state: number, symbol: number): number {
    const { nodes, before } = this.states[state / this.stride]!
    const characterClass = this.symbols.classes[symbol]!
    const after = this.alphabet.neighbours[characterClass]!
    const lookarounds = this.symbols.lookarounds[symbol]!
    const atEnd = characterClass === this.alphabet.size
    const point = atEnd ? 0 : this.alphabet.sample(characterClass)
    const { here, next, program } = this
    here.clear()
    next.clear()
    for (const node of nodes) here.add(node)
    if (this.floating || state === this.initial) here.add(program.start)
    let isMatch = false
    for (let index = 0; index < here.nodes.length; index += 1) {
      const node = program.nodes[here.nodes[index]!]!
      if (node.kind === 'match') isMatch = true
      else if (node.kind === 'when') {
        if (this.holds(node.condition, before, after, lookarounds)) here.add(node.next)
      } else if (node.kind === 'take' && !atEnd && holds(node.set, point)) next.add(node.next)
    }
    const generation = this.generation
    const following = atEnd ? DEAD : this.addState(next.nodes, after)
    const entry = isMatch ? ENDED - following : following
    if (generation === this.generation) this.table[state + symbol] = entry
    return entry
  }

  private holds(index: number, before: Neighbour, after: Neighbour, lookarounds: number): boolean {
    const condition = this.program.conditions[index]!
    if (typeof condition !== 'string') return (lookarounds & (1 << index)) !== 0
    return this.program.backwards
      ? holdsBetween(condition, after, before)
      : holdsBetween(condition, before, after)
  }

  /** The number of the state of these nodes. */
  private addState(nodes: readonly number[], before: Neighbour): number {
    if (nodes.length === 0 && !this.floating) return DEAD
    const sorted = Uint16Array.from(nodes).sort()
    const name = nameOf(sorted, before)
    const numbers = this.numbers.get(name)
    if (numbers !== undefined) return numbers
    this.keptNodes += sorted.length
    const entries = (this.states.length + 1) * this.stride
    if (entries > MOST_ENTRIES || this.keptNodes > MOST_NODES) this.forget()
    this.numbers.set(name, this.states.length * this.stride)
    return this.add({ nodes: sorted, before })
  }

  private add(state: State): number {
    const number = this.states.push(state) * this.stride - this.stride
    if (number + this.stride > this.table.length) {
      const table = new Int32Array(2 * this.table.length).fill(UNKNOWN, this.table.length)
      table.set(this.table)
      this.table = table
      this.budget.spend(table.length / COPIED_AT_ONCE)
    }
    return number
  }

  private forget(): void {
    this.generation += 1
    this.numbers.clear()
    this.keptNodes = 0
    this.states.length = 0
    this.table.fill(UNKNOWN)
    this.budget.spend(this.table.length / COPIED_AT_ONCE)
    const beginning: State = { nodes: new Uint16Array(), before: 'none' }
    // The first row belongs to the dead state, which no symbol leaves.
    this.add(beginning)
    this.add(beginning)
  }

  /** Whether the program can advance from its start at a position after the first. */
  private mayBeginLater(): boolean {
    const { here, program } = this
    const beginning: Assertion = program.backwards ? 'text-end' : 'text-start'
    here.clear()
    here.add(program.start)
    for (let index = 0; index < here.nodes.length; index += 1) {
      const node = program.nodes[here.nodes[index]!]!
      if (node.kind !== 'when') return true
      if (program.conditions[node.condition] !== beginning) here.add(node.next)
    }
    return false
  }
}

/** The key of a set of nodes: they are below 65,536, so each is a character of a text. */
function nameOf(nodes: Uint16Array, before: Neighbour): string {
  let name: string = before
  for (let from = 0; from < nodes.length; from += NAMED_AT_ONCE)
    name += String.fromCharCode(...nodes.subarray(from, from + NAMED_AT_ONCE))
  return name
}

/** The frontier of a simulated automaton: the nodes reached at one position, each once. */
class Frontier {
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
