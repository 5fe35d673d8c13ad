/**
 * Matches in time linear in the text, lookaround included: each lookaround is evaluated for all positions
 * beforehand.
 */

import { Alphabet } from './alphabet.ts'
import { isHalf } from './characters.ts'
import { compileProgram, type Program } from './program.ts'
import { DEAD, isEnded, stateBehind, States, UNKNOWN } from './states.ts'
import type { StepBudget } from './step-budget.ts'
import { Symbols } from './symbols.ts'
import type { Lookaround, Tree } from './tree.ts'

/**
 * A test whether a text contains a match of the tree. @throws QueryError, from the test as well, once the
 * step budget is spent
 */
export function automatonOf(tree: Tree, budget: StepBudget): (text: string) => boolean {
  const alphabet = new Alphabet(tree)
  const automaton = new Automaton(tree, alphabet, budget, false)
  const finds =
    automaton.lookarounds.length === 0
      ? (text: string) => automaton.finds(text)
      : (text: string) => automaton.endings(alphabet.read(text), true).includes(1)
  const required = requiredText(tree)
  return required === '' ? finds : (text) => text.includes(required) && finds(text)
}

class Automaton {
  readonly lookarounds: readonly {
    readonly bit: number
    readonly lookaround: Lookaround
    readonly automaton: Automaton
  }[]
  private readonly program: Program
  private symbols: Symbols
  private states: States

  constructor(
    tree: Tree,
    private readonly alphabet: Alphabet,
    private readonly budget: StepBudget,
    backwards: boolean,
  ) {
    this.program = compileProgram(tree, backwards)
    budget.spend(this.program.nodes.length)
    // A lookahead is evaluated from the end of the text.
    this.lookarounds = this.program.conditions.flatMap((lookaround, index) =>
      typeof lookaround === 'string'
        ? []
        : [
            {
              bit: 1 << index,
              lookaround,
              automaton: new Automaton(lookaround.part, alphabet, budget, lookaround.ahead),
            },
          ],
    )
    this.symbols = new Symbols(alphabet.size + 1)
    this.states = this.statesOf(this.symbols.count)
  }

  /** Whether a text contains a match. Only for patterns without lookaround, whose symbols are classes. */
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
   * Reads a text once; a match may begin at every position.
   *
   * @param untilFirst stops at the first match
   *
   * @returns for every position whether a match ends there, in the direction of reading, as ones and
   * zeros
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
  /** The symbol of each step; the last is the end of the text. */
  private symbolsOf(classes: Int32Array): Int32Array {
    const { alphabet, program } = this
    const evaluated = this.lookarounds.map(({ bit, lookaround, automaton }) => ({
      bit,
      positive: lookaround.positive ? 1 : 0,
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
      let lookarounds = 0
      for (const { bit, positive, endings } of evaluated)
        if (endings[position] === positive) lookarounds |= bit
      const symbolClass = classes[program.backwards ? position - 1 : position] ?? alphabet.size
      symbols[step] =
        lookarounds === 0 ? symbolClass : this.symbols.number(symbolClass, lookarounds)
    }
    const { count } = this.symbols
    if (count > this.states.stride) this.states = this.statesOf(2 * count)
    return symbols
  }

  private statesOf(stride: number): States {
    return new States(this.program, this.alphabet, this.symbols, this.budget, stride)
  }
}

/**
 * The longest text outside of alternatives that every match contains, so that texts without it need no further test; `''`
 * without one.
 */
const requiredText = (tree: Tree): string =>
  runsOf(tree, ['']).reduce((longest, run) => (run.length > longest.length ? run : longest))

/**
 * Characters that follow one another in every match, run by run. @param runs those before the tree; the
 * last one can continue
 */
function runsOf(tree: Tree, runs: string[]): string[] {
  switch (tree.kind) {
    case 'set': {
      const [range, ...others] = tree.set
      if (range && others.length === 0 && range[0] === range[1] && !isHalf(range[0]))
        runs.push(runs.pop()! + String.fromCodePoint(range[0]))
      else runs.push('')
      return runs
    }
    case 'sequence':
      return tree.parts.reduce((before, part) => runsOf(part, before), runs)
    case 'repeat':
      runs.push('')
      if (tree.least > 0) runsOf(tree.part, runs).push('')
      return runs
    case 'choice':
      runs.push('')
      return runs
    // Assertions consume no character.
    case 'assertion':
    case 'lookaround':
      return runs
  }
}
