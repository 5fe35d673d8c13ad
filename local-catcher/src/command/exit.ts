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

/** A run that has seen nothing yet: what decides when it is over, and its exit code. */
export const newRun = (count: number | null) => ({
  /** Requests asked for, or null. */
  count,
  /** Requests that came in whole, were kept whole and recorded, and passed the filter. */
  counted: 0,
  /** Requests whose signature failed or is missing. */
  unverified: 0,
  /** The time was over before the count was reached, or the command ended. */
  timedOut: false,
  /** The command, where there is one. */
  command: null as { readonly running: boolean; readonly code: number } | null,
  /** What arrived is what --expect says, or nothing was expected. */
  asExpected: true,
  /** Everything was written down. */
  written: true,
})
export type Run = ReturnType<typeof newRun>

/** Whether as many requests came as were asked for. */
export const isEnough = ({ count, counted }: Run): boolean => counted >= (count ?? 0)

/** The exit code of a run that is over. */
export function exitCode(state: Run): number {
  const { command, timedOut, written, unverified, asExpected } = state
  if (command && command.code !== 0 && !timedOut) return command.code
  if (!written) return EXIT.failed
  if (timedOut || !isEnough(state)) return EXIT.timeout
  if (unverified > 0) return EXIT.signature
  return asExpected ? EXIT.stopped : EXIT.differs
}
