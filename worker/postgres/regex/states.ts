/** A program made deterministic: sets of its nodes are states, worked out when a text first needs them and looked up from then on. */
import type { Alphabet } from './alphabet.ts'
import { holds } from './characters.ts'
import type { Effort } from './effort.ts'
import { Front } from './front.ts'
import { isPlaceBetween, type Neighbour } from './place.ts'
import type { Program } from './program.ts'
import type { Symbols } from './symbols.ts'
import type { Place } from './tree.ts'

/** Entries of the table, and nodes of states, that are kept; beyond either all is forgotten and worked out anew. */
const MOST_ENTRIES = 1_000_000
const MOST_NODES = 200_000
const FIRST_ROWS = 16
/** Entries that are filled or copied in about the time that a node takes. */
const COPIED_AT_ONCE = 64
/** Arguments that a function is given at a time. */
const NAMED_AT_ONCE = 4096

/** An entry that has not been worked out yet. */
export const UNKNOWN = -1
/** The state from which no match is reached any more. */
export const DEAD = 0
/** An entry that tells of a match is this, less the state it leads to. */
const ENDED = -2

/** Whether a match ends before the symbol of that entry. */
export const isEnded = (entry: number): boolean => entry <= ENDED
/** The state that an entry leads to. */
export const stateBehind = (entry: number): number => (entry <= ENDED ? ENDED - entry : entry)

/** Nodes that wait for a character or for a condition, beside those of a match that begins here; and what stands before. */
interface State {
  readonly nodes: Uint16Array
  readonly before: Neighbour
}

export class States {
  /** The state that every text begins in. States are the places of their rows in the table. */
  readonly initial: number
  /** The entry of each state and symbol. Another one takes its place as states are added. */
  table: Int32Array
  private generation = 0
  private readonly states: State[] = []
  private readonly known = new Map<string, number>()
  private keptNodes = 0
  /** Whether a match may begin elsewhere than where reading does. */
  private readonly floating: boolean
  private readonly here: Front
  private readonly next: Front

  constructor(
    private readonly program: Program,
    private readonly alphabet: Alphabet,
    private readonly symbols: Symbols,
    private readonly effort: Effort,
    /** Symbols that a row has room for. */
    readonly stride: number,
  ) {
    this.here = new Front(program, effort)
    this.next = new Front(program, effort)
    this.floating = this.mayBeginLater()
    this.initial = stride
    this.table = new Int32Array(FIRST_ROWS * stride)
    this.forget()
  }

  /** The entry of a state and symbol. @throws QueryError where working it out was too much */
  entry(state: number, symbol: number): number {
    const entry = this.table[state + symbol]!
    return entry === UNKNOWN ? this.enter(state, symbol) : entry
  }

  /** The entry of a state and symbol, worked out. @throws QueryError where that was too much work in all */
  enter(state: number, symbol: number): number {
    const { nodes, before } = this.states[state / this.stride]!
    const taken = this.symbols.classes[symbol]!
    const after = this.alphabet.neighbours[taken]!
    const looks = this.symbols.looks[symbol]!
    const atEnd = taken === this.alphabet.size
    const point = atEnd ? 0 : this.alphabet.sample(taken)
    const { here, next, program } = this
    here.clear()
    next.clear()
    for (const node of nodes) here.add(node)
    if (this.floating || state === this.initial) here.add(program.start)
    let ended = false
    for (let index = 0; index < here.nodes.length; index += 1) {
      const node = program.nodes[here.nodes[index]!]!
      if (node.kind === 'match') ended = true
      else if (node.kind === 'when') {
        if (this.holds(node.condition, before, after, looks)) here.add(node.next)
      } else if (node.kind === 'take' && !atEnd && holds(node.set, point)) next.add(node.next)
    }
    const generation = this.generation
    const behind = atEnd ? DEAD : this.keep(next.nodes, after)
    const entry = ended ? ENDED - behind : behind
    if (generation === this.generation) this.table[state + symbol] = entry
    return entry
  }

  private holds(index: number, before: Neighbour, after: Neighbour, looks: number): boolean {
    const condition = this.program.conditions[index]!
    if (typeof condition !== 'string') return (looks & (1 << index)) !== 0
    return this.program.backwards
      ? isPlaceBetween(condition, after, before)
      : isPlaceBetween(condition, before, after)
  }

  /** The number of the state of these nodes. */
  private keep(nodes: readonly number[], before: Neighbour): number {
    if (nodes.length === 0 && !this.floating) return DEAD
    const sorted = Uint16Array.from(nodes).sort()
    const name = nameOf(sorted, before)
    const known = this.known.get(name)
    if (known !== undefined) return known
    this.keptNodes += sorted.length
    const entries = (this.states.length + 1) * this.stride
    if (entries > MOST_ENTRIES || this.keptNodes > MOST_NODES) this.forget()
    this.known.set(name, this.states.length * this.stride)
    return this.add({ nodes: sorted, before })
  }

  private add(state: State): number {
    const number = this.states.push(state) * this.stride - this.stride
    if (number + this.stride > this.table.length) {
      const table = new Int32Array(2 * this.table.length).fill(UNKNOWN, this.table.length)
      table.set(this.table)
      this.table = table
      this.effort.spend(table.length / COPIED_AT_ONCE)
    }
    return number
  }

  private forget(): void {
    this.generation += 1
    this.known.clear()
    this.keptNodes = 0
    this.states.length = 0
    this.table.fill(UNKNOWN)
    this.effort.spend(this.table.length / COPIED_AT_ONCE)
    const beginning: State = { nodes: new Uint16Array(), before: 'none' }
    // The first row is that of the dead state, which nothing leads out of.
    this.add(beginning)
    this.add(beginning)
  }

  /** Whether the program gets anywhere from its start without being where reading begins. */
  private mayBeginLater(): boolean {
    const { here, program } = this
    const beginning: Place = program.backwards ? 'text-end' : 'text-start'
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

/** Nodes are numbers below 65,536, and so a text can name a set of them. */
function nameOf(nodes: Uint16Array, before: Neighbour): string {
  let name: string = before
  for (let from = 0; from < nodes.length; from += NAMED_AT_ONCE)
    name += String.fromCharCode(...nodes.subarray(from, from + NAMED_AT_ONCE))
  return name
}
