/**
 * The states of a run, worst first, as API, console and metrics show them. A run has one of four states.
 * `noop` marks a run that only would have had it; `derived` marks a run that logged errors, or whose events failed,
 * though its own status is not failed; `fact_errors` marks a run whose facts or plugins failed before it applied its
 * catalog. Silence is a mark of a node beside its state and never replaces it.
 */

/** The states, worst first. The database stores `rank` (reports.state), so a number must never change its meaning. */
export const STATES = [
  { name: 'failed', rank: 3, glyph: 'cross', word: 'failed', would: 'failed (noop)' },
  {
    name: 'corrective',
    rank: 2,
    glyph: 'diamond',
    word: 'drift corrected',
    would: 'drift pending (noop)',
  },
  { name: 'changed', rank: 1, glyph: 'disc', word: 'changed', would: 'pending (noop)' },
  { name: 'unchanged', rank: 0, glyph: 'dash', word: 'unchanged', would: 'unchanged (noop)' },
] as const
export type StateName = (typeof STATES)[number]['name']
export const STATE_NAMES: readonly StateName[] = STATES.map(({ name }) => name)

/** The other mark of a node: it has had no run for longer than the scope allows. */
export const SILENT = { name: 'silent', glyph: 'clock', word: 'silent' } as const

/** The state of a run, with its marks. */
export interface RunState {
  readonly state: StateName
  /** The run was noop: it changed nothing. */
  readonly noop: boolean
  /** The run failed by its error logs or events alone: its own status is not failed. */
  readonly derived: boolean
  /** Facts or plugins failed, and the run applied its catalog all the same. */
  readonly fact_errors: boolean
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
const FACT_ERRORS = 32
const CHANGED = 1

/** All numbers that `reports.state` can hold. */
export const STATE_CODES: readonly number[] = [
  ...STATES.flatMap(({ rank }) => [rank, rank + NOOP]),
  RANK + DERIVED,
  RANK + NOOP + DERIVED,
  CHANGED + PENDING,
].flatMap((code) => [code, code + FACT_ERRORS])

/** By number: pages show thousands of runs, which share these few objects. */
const DECODED: readonly RunState[] = Array.from({ length: 2 * FACT_ERRORS }, (_, code) => ({
  state: STATES.find(({ rank }) => rank === (code & RANK))!.name,
  noop: (code & NOOP) !== 0,
  derived: (code & DERIVED) !== 0,
  fact_errors: (code & FACT_ERRORS) !== 0,
}))

export const decodeState = (code: number): RunState => DECODED[code]!

/** The numbers of the states that a filter names; `would` restricts them to noop runs, or to real ones. */
export const codesOf = (names: readonly StateName[], would: boolean | null = null): number[] =>
  codesFound({ states: names, noop: would, fact_errors: null })!

/** Selects states; null means all. */
export interface StateFilter {
  readonly states: readonly StateName[] | null
  /** True for noop runs only, false for real ones. */
  readonly noop: boolean | null
  /** True for runs with that mark only, false for those without. */
  readonly fact_errors: boolean | null
}

export const ALL_STATES: StateFilter = { states: null, noop: null, fact_errors: null }

/** The numbers of the states that a filter selects; null if it selects all. */
export const codesFound = ({ states, noop, fact_errors }: StateFilter): number[] | null =>
  states === null && noop === null && fact_errors === null
    ? null
    : STATE_CODES.filter((code) => {
        const run = decodeState(code)
        return (
          states?.includes(run.state) !== false &&
          (noop ?? run.noop) === run.noop &&
          (fact_errors ?? run.fact_errors) === run.fact_errors
        )
      })

/**
 * SQL for runs worth finding among all: failed, corrective, with pending changes or fact errors. A query must repeat
 * this text exactly, or SQLite does not use the index of such runs.
 */
export const isNotable = (column: string): string => `${column} NOT IN (0, 1, 4)`
export const NOTABLE_CODES: readonly number[] = STATE_CODES.filter(
  (code) => ![0, 1, 4].includes(code),
)

/** SQL condition that a run has that state, real or noop, with any marks. */
export function isGroup(column: string, name: StateName, noop: boolean): string {
  const { rank } = STATES.find((state) => state.name === name)!
  return `${column} & ${RANK + NOOP} = ${rank + (noop ? NOOP : 0)}`
}

/** The status of a failed event. A report with such an event has the state failed. */
export const EVENT_FAILURE = 'failure'

/** The properties of a report that determine its state. */
export interface RunFacts {
  readonly status: string | null
  readonly noop: boolean | null
  readonly noopPending: boolean | null
  readonly correctiveChange: boolean | null
  readonly failures: number
  readonly successes: number
  /** Whether the run logged a line that says that it failed (report/failure/log-lines.ts). */
  readonly errors: boolean
  /** Whether facts or plugins failed before the run applied its catalog. */
  readonly factErrors: boolean
}

/**
 * The state of a run. A run that changed something has the state of that change, whatever else was pending.
 * A run that only would have changed something is `noop`. Reports of old formats lack a status; their events decide.
 */
export function stateOf(run: RunFacts): RunState {
  return { ...markedState(run), fact_errors: run.factErrors }
}

function markedState(run: RunFacts): Omit<RunState, 'fact_errors'> {
  const status =
    run.status ?? (run.failures > 0 ? 'failed' : run.successes > 0 ? 'changed' : 'unchanged')
  const noop = run.noop === true
  if (status === 'failed') return { state: 'failed', noop, derived: false }
  if (run.errors || run.failures > 0) return { state: 'failed', noop, derived: true }
  const change: StateName = run.correctiveChange === true ? 'corrective' : 'changed'
  if (status === 'changed') return { state: change, noop: false, derived: false }
  if (run.noopPending === true) return { state: change, noop: true, derived: false }
  return { state: 'unchanged', noop, derived: false }
}

/** The number in `reports.state` for a run. */
export function codeOf(run: RunFacts): number {
  const { state, noop, derived, fact_errors } = stateOf(run)
  const { rank } = STATES.find(({ name }) => name === state)!
  const pending = rank === CHANGED && !noop && run.noopPending === true
  const marks = [noop && NOOP, derived && DERIVED, pending && PENDING, fact_errors && FACT_ERRORS]
  return marks.reduce<number>((code, mark) => code + Number(mark), rank)
}

/** SQL conditions that the run failed, that it did not, and that only its logs or events say so. */
export const isFailedCode = (column: string): string => `(${column} & ${RANK} = ${RANK})`
export const isNotFailedCode = (column: string): string => `(${column} & ${RANK} <> ${RANK})`
/** SQL for a number that is greater for worse states, and for real runs than for noop ones. */
export const severityOf = (column: string): string =>
  `(${column} & ${RANK}) * 4 + iif(${column} & ${NOOP}, 0, 2)`
export const isDerivedCode = (column: string): string => `(${column} & ${DERIVED} <> 0)`

export const isFailed = (code: number): boolean => (code & RANK) === RANK
