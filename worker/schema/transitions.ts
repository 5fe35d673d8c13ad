/** The transitions that a hook can report, in one table for API, console and messages. */

export const TRANSITIONS = {
  failed: {
    word: 'failed',
    about: 'A node fails that did not before, or that failed by its log alone',
    of: 'node',
  },
  recovered: { word: 'recovered', about: 'A node that failed does not any more', of: 'node' },
  'new-cause': { word: 'new', about: 'A cause of failure is seen for the first time', of: 'cause' },
  corrective: { word: 'corrected drift', about: 'A node corrects drift that had none', of: 'node' },
  'database-full': {
    word: 'almost full',
    about: 'The database is almost full; told once a day',
    of: 'database',
  },
  'history-behind': {
    word: 'behind',
    about: 'The history has not been written for half a day; told once a day',
    of: 'database',
  },
  silent: { word: 'silent', about: 'A node has been silent for so many hours', of: 'node' },
} as const
export type Transition = keyof typeof TRANSITIONS

export const TRANSITION_NAMES = Object.keys(TRANSITIONS) as readonly Transition[]

/** The transitions that reports show; the state of the database is no report's. */
export type ReportTransition = Exclude<Transition, 'database-full' | 'history-behind'>
export const isOfReports = (transition: Transition): transition is ReportTransition =>
  transition !== 'database-full' && transition !== 'history-behind'

/** A rule as it is stored: the transition, and the reports it applies to. */
export interface Rule {
  readonly transition: Transition
  /** For silence. */
  readonly hours: number
  /** A condition on reports, in PQL without the entity; `''` for all. */
  readonly filter: string
  /** For failures: the name of their cause; `''` for any. */
  readonly cause: string
}
