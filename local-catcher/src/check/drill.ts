// Puts a sender through the exercises and notes what it did in each.
import type { Catcher } from '../catcher.js'
import { challengeResponder } from '../challenges.js'
import { sleep, type Clock } from '../clock.js'
import type { CapturedRequest } from '../request.js'
import type { Secret } from '../signature.js'
import { parseDuration } from '../values.js'
import { ELSEWHERE, type Exercise } from './exercises.js'

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
  /** All exercises at once; else one after the other. */
  readonly parallel: boolean
  readonly secrets: readonly Secret[]
  /** Each exercise has a path of its own; else a request belongs to the exercise that is on. */
  readonly paths: boolean
}

const STEP = 20
/** Milliseconds in which a request is still read whose sender has ended. */
const GRACE = 300
/** Milliseconds between the starts of senders that run at once, which is work for a machine. */
const STAGGER = 300
/** Milliseconds that a sender may take to start. */
const START = 30_000

/** Puts the sender through the exercises; tells of each that is over. */
export async function drill(
  exercises: readonly Exercise[],
  options: DrillOptions,
  onRun: (run: Run) => void,
): Promise<readonly Run[]> {
  const perform = async (exercise: Exercise, index: number) => {
    if (options.parallel) await sleep(options.clock, index * STAGGER)
    const run = await runExercise(exercise, options)
    onRun(run)
    return run
  }
  if (options.parallel) return Promise.all(exercises.map(perform))
  const runs: Run[] = []
  for (const [index, exercise] of exercises.entries()) {
    runs.push(await perform(exercise, index))
    // A sender that sends nothing when asked to is not asked eight times more.
    if (runs[0].attempts.length === 0) break
  }
  return runs
}

async function runExercise(exercise: Exercise, options: DrillOptions) {
  const { catcher, clock, start, waitIn, paths, secrets } = options
  const wait = waitIn(exercise)
  const path = `/${exercise.name}`
  /** The requests that came. */
  const attempts: CapturedRequest[] = []
  const told = exercise.rules?.(wait) ?? []
  const delays = told.map(({ delay = 0 }) => parseDuration(delay))
  const holds = delays.reduce((sum, delay) => sum + delay, exercise.holds ?? 0)
  let last = clock.now()
  const isOwn = (request: CapturedRequest) =>
    !paths || request.path.startsWith(path) || request.path.startsWith(ELSEWHERE + path)
  // It throws at a challenge of Zoom, without the secret to answer it.
  const isChallenge = async (request: CapturedRequest) => {
    const answer = Promise.resolve(request).then(challengeResponder(secrets))
    return (await answer.catch(() => ({}))) !== undefined
  }
  const unsubscribe = catcher.subscribe(async (request) => {
    if (!isOwn(request) || !request.complete) return
    if (!(await isChallenge(request))) attempts.push(request)
    last = clock.now()
  })
  const rules = [...told, { challenge: true }]
  const removals = rules.map((rule) => catcher.rule(paths ? { path: `${path}*`, ...rule } : rule))
  const subject = start(catcher.url + path, exercise)
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
  return { exercise, attempts, ended, wait, paths }
}
