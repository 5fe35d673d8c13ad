/**
 * What a run came to: the one table that API, console and metrics read. Worst first. A run has one of
 * four states; `noop` says that it only would have been so; `derived` that the run does not call
 * itself failed, but logged errors. Silence is a mark of nodes beside the state, never instead of it.
 */

/** The states, worst first. `rank` is stored (reports.state), so a number can never change its meaning. */
export const STATES = [
  { name: 'failed', rank: 3, glyph: 'cross', word: 'failed', would: 'failed (noop)' },
  {
    name: 'corrective',
    rank: 2,
    glyph: 'diamond',
    word: 'corrected drift',
    would: 'would correct',
  },
  { name: 'changed', rank: 1, glyph: 'disc', word: 'changed', would: 'would change' },
  { name: 'unchanged', rank: 0, glyph: 'dash', word: 'unchanged', would: 'unchanged (noop)' },
] as const
export type StateName = (typeof STATES)[number]['name']

/** The second mark of a node: no run for longer than the scope allows. */
export const SILENT = { name: 'silent', glyph: 'clock', word: 'silent' } as const

/** A run's state and its marks. */
export interface RunState {
  readonly state: StateName
  /** It only would have: nothing was changed by it. */
  readonly noop: boolean
  /** Failed by its error logs alone: its own status is another. */
  readonly derived: boolean
}

/** How many nodes or runs have a state; noop ones are counted apart. */
export interface StateCount {
  readonly state: StateName
  readonly noop: boolean
  readonly count: number
}

/**
 * `reports.state`: the rank in two bits, and a bit for each mark. PENDING is no mark of the run, but
 * lets a changed run be found that would have changed more.
 */
const RANK = 3
const NOOP = 4
const DERIVED = 8
const PENDING = 16
const CHANGED = 1

/** All numbers that `reports.state` can hold. */
export const STATE_CODES: readonly number[] = [
  ...STATES.flatMap(({ rank }) => [rank, rank + NOOP]),
  RANK + DERIVED,
  RANK + NOOP + DERIVED,
  CHANGED + PENDING,
]

/** By number: pages show thousands of runs, and there are only so many states. */
const DECODED: readonly RunState[] = Array.from({ length: 2 * PENDING }, (_, code) => ({
  state: STATES.find(({ rank }) => rank === (code & RANK))!.name,
  noop: (code & NOOP) !== 0,
  derived: (code & DERIVED) !== 0,
}))

export const decodeState = (code: number): RunState => DECODED[code]!

/** Numbers of the states that a filter names; `would` restricts them to runs that were noop, or were not. */
export const codesOf = (names: readonly StateName[], would: boolean | null = null): number[] =>
  STATE_CODES.filter((code) => {
    const { state, noop } = decodeState(code)
    return names.includes(state) && (would === null || noop === would)
  })

/**
 * Numbers of runs that someone may want to find among all: failed, corrective, and what would be
 * changed. SQL of a query must say it in these very words, for the index of such runs to be used.
 */
export const isNotable = (column: string): string => `${column} NOT IN (0, 1, 4)`

/** What of a report its state is derived from. */
export interface RunFacts {
  readonly status: string | null
  readonly noop: boolean | null
  readonly noopPending: boolean | null
  readonly correctiveChange: boolean | null
  readonly failures: number
  readonly successes: number
  /** Whether a line of level err or worse was logged, by anything but a resource whose purpose is logging. */
  readonly errors: boolean
}

/**
 * The state of a run. A run that changed something did so, whatever else it would have done; one
 * that only would have is `noop`. Reports of old formats without a status are judged by their events.
 */
export function stateOf(run: RunFacts): RunState {
  const status =
    run.status ?? (run.failures > 0 ? 'failed' : run.successes > 0 ? 'changed' : 'unchanged')
  const noop = run.noop === true
  if (status === 'failed') return { state: 'failed', noop, derived: false }
  if (run.errors) return { state: 'failed', noop, derived: true }
  const change: StateName = run.correctiveChange === true ? 'corrective' : 'changed'
  if (status === 'changed') return { state: change, noop: false, derived: false }
  if (run.noopPending === true) return { state: change, noop: true, derived: false }
  return { state: 'unchanged', noop, derived: false }
}

/** The number that `reports.state` holds for a run. */
export function codeOf(run: RunFacts): number {
  const { state, noop, derived } = stateOf(run)
  const { rank } = STATES.find(({ name }) => name === state)!
  const pending = rank === CHANGED && !noop && run.noopPending === true
  return rank + (noop ? NOOP : 0) + (derived ? DERIVED : 0) + (pending ? PENDING : 0)
}

export const isFailed = (code: number): boolean => (code & RANK) === RANK
