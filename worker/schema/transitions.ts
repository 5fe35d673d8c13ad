/** What a hook can tell of: the one table that API, console and messages read. */

export const TRANSITIONS = {
  failed: { word: 'failed', about: 'A node fails that did not before', of: 'node' },
  recovered: { word: 'recovered', about: 'A node that failed does not any more', of: 'node' },
  'new-cause': { word: 'new', about: 'A cause of failure is seen for the first time', of: 'cause' },
  corrective: { word: 'corrected drift', about: 'A node corrects drift that had none', of: 'node' },
  silent: { word: 'silent', about: 'A node has been silent for so many hours', of: 'node' },
} as const
export type Transition = keyof typeof TRANSITIONS

export const TRANSITION_NAMES = Object.keys(TRANSITIONS) as readonly Transition[]

/** A rule as it is stored: what is told of, and of which reports. */
export interface Rule {
  readonly transition: Transition
  /** Of silence. */
  readonly hours: number
  /** A condition on reports, in PQL without the entity; `''` for all. */
  readonly filter: string
  /** Of failures: the name of the cause that they must have; `''` for any. */
  readonly cause: string
}
