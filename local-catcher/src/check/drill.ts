// The exercises of `check`: how the receiver behaves in each, and what a sender does then.
import type { Catcher } from '../catcher.js'
import { sleep, type Clock } from '../clock.js'
import type { CapturedRequest } from '../request.js'
import type { Rule } from '../rules.js'

/** One situation that a sender is put into. */
export interface Exercise {
  readonly name: string
  /** What the receiver does, as the progress line says it. */
  readonly shows: string
  /** The answers; requests beyond them get 200. `wait` is how long the drill waits, in ms. */
  readonly rules?: (wait: number) => readonly Rule[]
  /** Milliseconds by which the receiver prolongs it. */
  readonly holds?: (wait: number) => number
}

/** Seconds that the receiver asks a sender to stay away for. */
export const RETRY_AFTER = 2
/** Where the redirect leads, below the path of its exercise. */
export const ELSEWHERE = '/elsewhere'

const once = (rule: Rule) => () => [{ ...rule, times: 1 }]

/** Every exercise, in the order of the drill. */
export const EXERCISES: readonly Exercise[] = [
  { name: 'accept', shows: 'answers 200' },
  { name: '503-twice', shows: 'answers 503 twice', rules: () => [{ status: 503, times: 2 }] },
  { name: 'reset', shows: 'resets the connection once', rules: once({ fault: 'reset' }) },
  {
    // A delay, not fault=hang: it ends when the sender leaves, and so measures the sender's time-out.
    name: 'hang',
    shows: 'does not answer once',
    rules: (wait) => [{ delay: wait, times: 1 }],
    holds: (wait) => wait,
  },
  { name: '410', shows: 'answers 410', rules: () => [{ status: 410 }] },
  {
    name: '429',
    shows: `answers 429 with Retry-After: ${RETRY_AFTER}`,
    rules: once({ status: 429, headers: { 'Retry-After': String(RETRY_AFTER) } }),
    holds: () => RETRY_AFTER * 1000,
  },
  {
    name: 'redirect',
    shows: 'answers 307 to another path',
    rules: once({ status: 307, headers: { Location: `${ELSEWHERE}/redirect` } }),
  },
]

/** What makes the sender send one webhook, and what is known of its end. */
export interface Subject {
  /** Ended: nothing can follow, since the command is over. Failed: it could not be made to send. */
  state(): 'running' | 'ended' | 'failed'
  /** Ends it. */
  end(): Promise<unknown>
}

/** What a sender did in an exercise. */
export type Run = Readonly<Awaited<ReturnType<typeof runExercise>>>

export interface DrillOptions {
  readonly catcher: Catcher
  readonly clock: Clock
  /** Makes the sender send one webhook to the URL. */
  readonly start: (url: string, exercise: Exercise) => Subject
  /** Milliseconds without a request after which an exercise is over. */
  readonly waitIn: (exercise: Exercise) => number
}

const STEP = 20
/** Milliseconds in which a request is still read whose sender has ended. */
const GRACE = 300
/** Milliseconds that a sender may take to start. */
const START = 30_000

/** Puts the sender through the exercises, one after the other. */
export async function drill(exercises: readonly Exercise[], options: DrillOptions) {
  const runs: Run[] = []
  for (const exercise of exercises) {
    runs.push(await runExercise(exercise, options))
    // A sender that sends nothing when asked to is not asked eight times more.
    if (runs[0].attempts.length === 0) break
  }
  return runs
}

async function runExercise(exercise: Exercise, options: DrillOptions) {
  const { catcher, clock, start, waitIn } = options
  const wait = waitIn(exercise)
  const others = EXERCISES.filter((each) => each !== exercise).map(({ name }) => name)
  // A service with its own URL may send to any other path.
  const path = new RegExp(`^(?!(${ELSEWHERE})?/(${others.join('|')}))`)
  /** The requests that came. */
  const attempts: CapturedRequest[] = []
  const told = exercise.rules?.(wait) ?? []
  const holds = exercise.holds?.(wait) ?? 0
  let last = clock.now()
  const unsubscribe = catcher.subscribe((request) => {
    if (!path.test(request.path) || !request.complete) return
    attempts.push(request)
    last = clock.now()
  })
  const removals = told.map((rule) => catcher.rule({ path, ...rule }))
  const subject = start(`${catcher.url}/${exercise.name}`, exercise)
  for (;;) {
    await sleep(clock, STEP)
    // A sender that was made to send is waited for whatever its trigger said in the end.
    const state = subject.state()
    const isOver = state === 'ended' || (state === 'failed' && attempts.length === 0)
    const patience = attempts.length === 0 ? Math.max(wait, START) : wait
    if (clock.now() - last > (isOver ? GRACE : patience + holds)) break
  }
  const ended = subject.state() === 'ended'
  unsubscribe()
  for (const remove of removals) remove()
  await subject.end()
  attempts.sort((one, other) => one.time.getTime() - other.time.getTime())
  return { exercise, attempts, ended, wait }
}
