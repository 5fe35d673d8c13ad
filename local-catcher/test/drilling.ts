import { openCatcher } from '../src/catcher.js'
import { drill, EXERCISES, type Run, type Subject } from '../src/check/drill.js'
import type { Clock } from '../src/clock.js'
import { BODY_TIME, HEAD_TIME } from '../src/connection.js'
import { TestClock } from './clock.js'
import { KEY, sendWebhook, Wire, type Flaw, type Pace } from './senders/sender.js'

export const SECRET = { scheme: 'standard', secret: `whsec_${KEY}` } as const
/** The exercises but for the first, which is always run. */
export const OTHERS = EXERCISES.map(({ name }) => name).filter((name) => name !== 'accept')

/** A sender, and what it is put through. */
export interface Conduct {
  readonly flaws?: readonly Flaw[]
  readonly pace?: Pace
  /** The exercises beside the first; all of them unless given. */
  readonly exercises?: readonly string[]
  /** The sender is a service, which never ends, instead of a command. */
  readonly isService?: boolean
  /** Its trigger fails once it has sent. */
  readonly fails?: boolean
  /** It sends to this path instead of that of the exercise. */
  readonly path?: string
  readonly waits?: Readonly<Record<string, number>>
}

/** Puts a sender through exercises; gives its runs, and how long they took on a clock of their own. */
export async function drillFor(conduct: Conduct): Promise<{ runs: readonly Run[]; took: number }> {
  const { flaws = [], pace, exercises = OTHERS, waits = {}, path } = conduct
  const clock = new TestClock()
  const wire = new Wire(clock)
  const receiver = delaysOf(clock)
  const catcher = await openCatcher({ keep: 0, secret: SECRET }, { clock: receiver.clock })
  const start = (url: string): Subject => {
    let state: ReturnType<Subject['state']> = 'running'
    void sendWebhook(
      path === undefined ? url : new URL(path, url).href,
      wire,
      clock,
      flaws,
      pace,
    ).then(() => {
      if (conduct.fails) state = 'failed'
      else if (!conduct.isService) state = 'ended'
    })
    return { state: () => state, end: () => Promise.resolve() }
  }
  const runs = drill(
    EXERCISES.filter(({ name }) => name === 'accept' || exercises.includes(name)),
    {
      ...{ catcher, clock, start },
      waitIn: ({ name }) => waits[name] ?? 12_000,
    },
  )
  // A request is on its way unless its receiver lets it wait.
  const done = await clock.passUntil(runs, () => wire.pending !== receiver.passing())
  const took = clock.now()
  await clock.passUntil(catcher.close())
  return { runs: done, took }
}

/** Its runs alone. */
export const drillSender = async (conduct: Conduct) => (await drillFor(conduct)).runs

/** The same clock for a receiver, and how many delays before answers are passing on it. */
function delaysOf(clock: TestClock) {
  const delays = new Set<object>()
  const after = (milliseconds: number, act: () => void) => {
    // The other timers there are those of requests that have not come whole.
    if ([HEAD_TIME, BODY_TIME].includes(milliseconds)) return clock.after(milliseconds, act)
    const delay = {}
    delays.add(delay)
    const cancel = clock.after(milliseconds, () => {
      delays.delete(delay)
      act()
    })
    return () => {
      delays.delete(delay)
      cancel()
    }
  }
  const receiver: Clock = { now: () => clock.now(), date: () => clock.date(), after }
  return { clock: receiver, passing: () => delays.size }
}
