/**
 * The states of a run, worst first, as API, console and metrics show them. A run has one of four states.
 * `noop` marks a run that only would have had it; `derived` marks a run that logged errors though its own
 * status is not failed. Silence is a mark of a node beside its state and never replaces it.
 */

/** The states, worst first. The database stores `rank` (reports.state), so a number must never change its meaning. */
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

/** The other mark of a node: it has had no run for longer than the scope allows. */
export const SILENT = { name: 'silent', glyph: 'clock', word: 'silent' } as const

/** The state of a run, with its marks. */
export interface RunState {
  readonly state: StateName
  /** The run was noop: it changed nothing. */
  readonly noop: boolean
  /** The run failed by its error logs alone: its own status is not failed. */
  readonly derived: boolean
}

/** How many nodes or runs have a state, with noop ones counted separately. */
export interface StateCount {
  readonly state: StateName
  readonly noop: boolean
  readonly count: number
}

/**
 * `reports.state`: the rank in two bits, and a bit for each mark. The PENDING bit belongs to no mark: it
 * finds runs that changed something and would have changed more.
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

/** By number: pages show thousands of runs, which share these few objects. */
const DECODED: readonly RunState[] = Array.from({ length: 2 * PENDING }, (_, code) => ({
  state: STATES.find(({ rank }) => rank === (code & RANK))!.name,
  noop: (code & NOOP) !== 0,
  derived: (code & DERIVED) !== 0,
}))

export const decodeState = (code: number): RunState => DECODED[code]!

/** The numbers of the states that a filter names; `would` restricts them to noop runs, or to real ones. */
export const codesOf = (names: readonly StateName[], would: boolean | null = null): number[] =>
  STATE_CODES.filter((code) => {
    const { state, noop } = decodeState(code)
    return names.includes(state) && (would === null || noop === would)
  })

/**
 * SQL for runs worth finding among all: failed, corrective, or with pending changes. A query must repeat
 * this text exactly, or SQLite does not use the index of such runs.
 */
export const isNotable = (column: string): string => `${column} NOT IN (0, 1, 4)`

/** The properties of a report that determine its state. */
export interface RunFacts {
  readonly status: string | null
  readonly noop: boolean | null
  readonly noopPending: boolean | null
  readonly correctiveChange: boolean | null
  readonly failures: number
  readonly successes: number
  /** Whether the run logged a line of level err or worse, other than by a resource whose purpose is logging. */
  readonly errors: boolean
}

/**
 * The state of a run. A run that changed something has the state of that change, whatever else was pending.
 * A run that only would have changed something is `noop`. Reports of old formats lack a status; their events decide.
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

/** The number in `reports.state` for a run. */
export function codeOf(run: RunFacts): number {
  const { state, noop, derived } = stateOf(run)
  const { rank } = STATES.find(({ name }) => name === state)!
  const pending = rank === CHANGED && !noop && run.noopPending === true
  return rank + (noop ? NOOP : 0) + (derived ? DERIVED : 0) + (pending ? PENDING : 0)
}

export const isFailed = (code: number): boolean => (code & RANK) === RANK
