/**
 * The transitions that a hook can report, in one table for API, console and messages. `link` is the page of the console that
 * shows several of them.
 */

export const TRANSITIONS = {
  failed: {
    name: 'node fails',
    word: 'failed',
    about: 'A node starts to fail',
    of: 'node',
    mood: 'bad',
    link: { name: 'Open the causes', path: '/causes' },
  },
  recovered: {
    name: 'node recovers',
    word: 'recovered',
    about: 'A node that failed recovers',
    of: 'node',
    mood: 'good',
    link: { name: 'Open the nodes', path: '/nodes' },
  },
  'new-cause': {
    name: 'new cause',
    word: 'new',
    about: 'A new cause of failure appears',
    of: 'cause',
    mood: 'bad',
    link: { name: 'Open the causes', path: '/causes' },
  },
  corrective: {
    name: 'drift corrected',
    word: 'corrected drift',
    about: 'A node starts to correct drift',
    of: 'node',
    mood: 'warning',
    link: { name: 'Open the nodes', path: '/nodes?state=corrective' },
  },
  'database-full': {
    name: 'database almost full',
    word: 'almost full',
    about: 'The database is almost full (once a day)',
    of: 'database',
    mood: 'warning',
    link: { name: 'Open the settings', path: '/settings' },
  },
  'history-behind': {
    name: 'history behind',
    word: 'behind',
    about: 'The history is half a day behind (once a day)',
    of: 'database',
    mood: 'warning',
    link: { name: 'Open the settings', path: '/settings' },
  },
  silent: {
    name: 'node silent',
    word: 'silent',
    about: 'A node is silent for some hours',
    of: 'node',
    mood: 'warning',
    link: { name: 'Open the silent nodes', path: '/nodes?state=silent' },
  },
} as const
export type Transition = keyof typeof TRANSITIONS

export const TRANSITION_NAMES = Object.keys(TRANSITIONS) as readonly Transition[]

type Of<T extends Transition> = (typeof TRANSITIONS)[T]['of']
/** The transitions that reports show; no report shows the state of the database. */
export type ReportTransition = {
  [T in Transition]: Of<T> extends 'database' ? never : T
}[Transition]
export const isOfReports = (transition: Transition): transition is ReportTransition =>
  TRANSITIONS[transition].of !== 'database'

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
