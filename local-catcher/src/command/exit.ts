// The exit codes, and which of them a run ends with.

/** The exit codes: a contract with scripts. */
export const EXIT = {
  stopped: 0,
  failed: 1,
  usage: 2,
  listen: 3,
  timeout: 4,
  signature: 5,
  differs: 6,
  interrupted: 130,
} as const

/** What a run has seen: what decides when it is over, and its exit code. */
export interface RunState {
  /** Requests asked for, or null. */
  readonly count: number | null
  /** Requests that came in whole, were recorded, and passed the filter. */
  counted: number
  /** Those of them whose signature did not hold. */
  unverified: number
  /** The time was over before the count was reached, or the command ended. */
  timedOut: boolean
  /** The command, where there is one. */
  command: { readonly running: boolean; readonly code: number } | null
  /** What arrived is what --expect says, or nothing was expected. */
  asExpected: boolean
  /** Everything was written down. */
  written: boolean
}

/** Whether as many requests came as were asked for. */
export const isEnough = ({ count, counted }: RunState): boolean => counted >= (count ?? 0)

/** The exit code of a run that is over. */
export function exitCode(state: RunState): number {
  const { command, timedOut, written, count, unverified, asExpected } = state
  if (command && command.code !== 0 && !timedOut) return command.code
  if (!written) return EXIT.failed
  if (timedOut || (command && !isEnough(state))) return EXIT.timeout
  if (count !== null && unverified > 0) return EXIT.signature
  return asExpected ? EXIT.stopped : EXIT.differs
}
