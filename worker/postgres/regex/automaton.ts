/** Matches in time linear in the text, lookaround included: each look is settled for all positions before it is asked for. */
import { Alphabet } from './alphabet.ts'
import type { Effort } from './effort.ts'
import { compileProgram, type Program } from './program.ts'
import { DEAD, isEnded, stateBehind, States, UNKNOWN } from './states.ts'
import { requiredText } from './required.ts'
import { Symbols } from './symbols.ts'
import type { Look, Tree } from './tree.ts'

/**
 * The test whether a text holds a match of the tree.
 *
 * @throws QueryError, from the test as well, once there was too much work
 */
export function automatonOf(tree: Tree, effort: Effort): (text: string) => boolean {
  const alphabet = new Alphabet(tree)
  const automaton = new Automaton(tree, alphabet, effort, false)
  const finds =
    automaton.looks.length === 0
      ? (text: string) => automaton.finds(text)
      : (text: string) => automaton.endings(alphabet.read(text), true).includes(1)
  const required = requiredText(tree)
  return required === '' ? finds : (text) => text.includes(required) && finds(text)
}

class Automaton {
  readonly looks: readonly {
    readonly bit: number
    readonly look: Look
    readonly automaton: Automaton
  }[]
  private readonly program: Program
  private symbols: Symbols
  private states: States

  constructor(
    tree: Tree,
    private readonly alphabet: Alphabet,
    private readonly effort: Effort,
    backwards: boolean,
  ) {
    this.program = compileProgram(tree, backwards)
    effort.spend(this.program.nodes.length)
    // What lies ahead is known to one who comes from there.
    this.looks = this.program.conditions.flatMap((look, index) =>
      typeof look === 'string'
        ? []
        : [
            {
              bit: 1 << index,
              look,
              automaton: new Automaton(look.part, alphabet, effort, look.ahead),
            },
          ],
    )
    this.symbols = new Symbols(alphabet.size + 1)
    this.states = this.statesOf(this.symbols.count)
  }

  /** Whether a text holds a match. Only for one without looks, whose symbols are classes. */
  finds(text: string): boolean {
    const { alphabet, states } = this
    const { ascii } = alphabet
    let { table } = states
    let state = states.initial
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index)
      let symbol: number
      if (unit < ascii.length) symbol = ascii[unit]!
      else {
        const point = text.codePointAt(index)!
        if (point !== unit) index += 1
        symbol = alphabet.classOf(point)
      }
      let entry = table[state + symbol]!
      if (entry <= 0) {
        if (entry === UNKNOWN) {
          entry = states.enter(state, symbol)
          ;({ table } = states)
        }
        if (isEnded(entry)) return true
        if (entry === DEAD) return false
      }
      state = entry
    }
    return isEnded(states.entry(state, alphabet.size))
  }

  /**
   * Reads a text once; a match may begin at every position. Returns for every position whether a match ends there,
   * in the direction of reading, as ones and zeros; with `untilFirst` no further than the first.
   */
  endings(classes: Int32Array, untilFirst = false): Uint8Array {
    const symbols = this.symbolsOf(classes)
    const { states } = this
    const last = classes.length
    const endings = new Uint8Array(last + 1)
    let state = states.initial
    for (let step = 0; step <= last && state !== DEAD; step += 1) {
      const position = this.program.backwards ? last - step : step
      const entry = states.entry(state, symbols[step]!)
      if (isEnded(entry)) {
        endings[position] = 1
        if (untilFirst) break
      }
      state = stateBehind(entry)
    }
    return endings
  }
  /** What is read at each step; at the last one the end. */
  private symbolsOf(classes: Int32Array): Int32Array {
    const { alphabet, program } = this
    const settled = this.looks.map(({ bit, look, automaton }) => ({
      bit,
      wanted: look.wanted ? 1 : 0,
      endings: automaton.endings(classes),
    }))
    if (this.symbols.full) {
      this.symbols = new Symbols(alphabet.size + 1)
      this.states = this.statesOf(this.symbols.count)
    }
    const last = classes.length
    const symbols = new Int32Array(last + 1)
    for (let step = 0; step <= last; step += 1) {
      const position = program.backwards ? last - step : step
      let looks = 0
      for (const { bit, wanted, endings } of settled) if (endings[position] === wanted) looks |= bit
      const taken = classes[program.backwards ? position - 1 : position] ?? alphabet.size
      symbols[step] = looks === 0 ? taken : this.symbols.number(taken, looks)
    }
    const { count } = this.symbols
    if (count > this.states.stride) this.states = this.statesOf(2 * count)
    return symbols
  }

  private statesOf(stride: number): States {
    return new States(this.program, this.alphabet, this.symbols, this.effort, stride)
  }
}
