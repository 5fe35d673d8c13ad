/** Matches with lookaround in time linear in the text: each condition is settled for all positions before it is asked for. */
import { Alphabet, type Line } from './alphabet.ts'
import { compile, type Program, type Take } from './program.ts'
import { isPlaceAt } from './place.ts'
import { holds } from './characters.ts'
import type { Tree } from './tree.ts'

/** The test whether a text holds a match of the tree. */
export function automatonOf(tree: Tree): (text: string) => boolean {
  const alphabet = new Alphabet(tree)
  const automaton = new Automaton(tree, alphabet, false)
  return (text) => automaton.endings(alphabet.read(text), true).includes(1)
}

/** Nodes that cached states may name together before the cache starts anew. */
const MAX_CACHED_NODES = 200_000

/** Which conditions hold at a position, one bit each; the limit on looks keeps them below 32. */
type Situation = number

/** The nodes that a position's character finds, before conditions are asked. */
type State = { readonly nodes: readonly number[]; readonly spots: Map<Situation, Spot> }

/** A state in a situation: how far its conditions let through. */
type Spot = {
  readonly accepts: boolean
  readonly takes: readonly Take[]
  /** By class of the character that comes next. */
  readonly next: (State | undefined)[]
}

/** A deterministic automaton that is built as texts ask for it. */
class Automaton {
  private readonly program: Program
  private readonly looks: readonly (Automaton | undefined)[]
  private readonly seen: Uint32Array
  private visit = 0
  private readonly states = new Map<string, State>()
  private cachedNodes = 0

  constructor(
    tree: Tree,
    private readonly alphabet: Alphabet,
    private readonly backwards: boolean,
  ) {
    this.program = compile(tree, backwards)
    this.seen = new Uint32Array(this.program.nodes.length)
    // What lies ahead is known to one who comes from there.
    this.looks = this.program.conditions.map((condition) =>
      typeof condition === 'string'
        ? undefined
        : new Automaton(condition.part, alphabet, condition.ahead),
    )
  }

  /**
   * Reads the text once; a match may begin at every position. Returns for every position whether a match ends there,
   * in the direction of reading, as ones and zeros; with `untilFirst` no further than the first.
   */
  endings(line: Line, untilFirst = false): Uint8Array {
    const { points, classes } = line
    const situations = this.situationsOf(line)
    const endings = new Uint8Array(points.length + 1)
    let state = this.stateOf([this.program.start])
    for (let step = 0; step <= points.length; step += 1) {
      const position = this.backwards ? points.length - step : step
      const situation = situations[position] ?? 0
      const spot = state.spots.get(situation) ?? this.spotOf(state, situation)
      if (spot.accepts) {
        endings[position] = 1
        if (untilFirst) break
      }
      const taken = classes[this.backwards ? position - 1 : position]
      if (taken !== undefined) state = spot.next[taken] ??= this.after(spot, taken)
    }
    return endings
  }

  private situationsOf(line: Line): Int32Array {
    const length = line.points.length + 1
    const situations = new Int32Array(length)
    for (const [index, condition] of this.program.conditions.entries()) {
      const bit = 1 << index
      if (typeof condition === 'string') {
        for (let position = 0; position < length; position += 1)
          if (isPlaceAt(condition, line.points, position))
            situations[position] = (situations[position] ?? 0) | bit
      } else {
        const endings = this.looks[index]?.endings(line)
        const wanted = condition.wanted ? 1 : 0
        for (let position = 0; position < length; position += 1)
          if (endings?.[position] === wanted)
            situations[position] = (situations[position] ?? 0) | bit
      }
    }
    return situations
  }

  private stateOf(nodes: readonly number[]): State {
    const key = nodes.join()
    const known = this.states.get(key)
    if (known) return known
    if (this.cachedNodes > MAX_CACHED_NODES) {
      this.states.clear()
      this.cachedNodes = 0
    }
    const state: State = { nodes, spots: new Map() }
    this.states.set(key, state)
    this.cachedNodes += nodes.length
    return state
  }

  private spotOf(state: State, situation: Situation): Spot {
    const takes: Take[] = []
    let accepts = false
    const open = [...state.nodes]
    this.visit += 1
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.seen[index] === this.visit) continue
      this.seen[index] = this.visit
      const node = this.program.nodes[index]
      if (node?.kind === 'take') takes.push(node)
      else if (node?.kind === 'split') open.push(...node.next)
      else if (node?.kind === 'match') accepts = true
      else if (node && situation & (1 << node.condition)) open.push(node.next)
    }
    const spot: Spot = { accepts, takes, next: [] }
    state.spots.set(situation, spot)
    this.cachedNodes += takes.length + 1
    return spot
  }

  private after(spot: Spot, taken: number): State {
    const point = this.alphabet.sample(taken)
    const nodes = new Set([this.program.start])
    for (const { set, next } of spot.takes) if (holds(set, point)) nodes.add(next)
    this.cachedNodes += 1
    return this.stateOf([...nodes].toSorted((a, b) => a - b))
  }
}
