// The exercises of `check`: how the receiver behaves in each.
import type { Rule } from '../rules.js'

/** One situation that a sender is put into. */
export interface Exercise {
  readonly name: string
  /** What the receiver does, as the progress line says it. */
  readonly shows: string
  /** The answers; requests beyond them get 200. `wait` is how long the drill waits, in ms. */
  readonly rules?: (wait: number) => readonly Rule[]
  /** Milliseconds by which the receiver prolongs it, besides the delays of its rules. */
  readonly holds?: number
}

/** Seconds that the receiver asks a sender to stay away for. */
export const RETRY_AFTER = 2
/** Where the redirect leads, below the path of its exercise. */
export const ELSEWHERE = '/elsewhere'

const once = (rule: Rule) => () => [{ ...rule, times: 1 }]

/** Every exercise, in the order of the drill. */
export const EXERCISES: readonly Exercise[] = [
  { name: 'accept', shows: 'answers 200' },
  {
    name: '503-twice',
    shows: 'answers 503 twice, then 200',
    rules: () => [{ status: 503, times: 2 }],
  },
  { name: 'reset', shows: 'resets the connection once', rules: once({ fault: 'reset' }) },
  {
    // A delay, not fault=hang: it ends when the sender leaves, and so measures the sender's time-out.
    name: 'hang',
    shows: 'does not answer once',
    rules: (wait) => [{ delay: wait, times: 1 }],
  },
  { name: '410', shows: 'answers 410', rules: () => [{ status: 410 }] },
  {
    name: '429',
    shows: `answers 429 with Retry-After: ${RETRY_AFTER}`,
    rules: once({ status: 429, headers: { 'Retry-After': String(RETRY_AFTER) } }),
    holds: RETRY_AFTER * 1000,
  },
  {
    name: 'redirect',
    shows: 'answers 307 to another path',
    rules: once({ status: 307, headers: { Location: `${ELSEWHERE}/redirect` } }),
  },
]
