// What a sender's behaviour in the exercises says about it: one row of the table per check.
import { isDeepStrictEqual } from 'node:util'
import type { CapturedRequest } from '../request.js'
import { mediaType } from '../content.js'
import { safeLine } from '../show/safe-text.js'
import { formatDuration, formatSize } from '../values.js'
import type { Run } from './drill.js'
import { ELSEWHERE, RETRY_AFTER } from './exercises.js'

/** `unclear`: the drill could not tell. `none`: the check does not apply to this sender. */
export type State = 'pass' | 'fail' | 'unclear' | 'none'
type Finding = readonly [State, string]

export interface Verdict {
  readonly check: string
  readonly exercise: string
  readonly state: State
  readonly detail: string
}

interface Check {
  readonly name: string
  readonly exercise: string
  /** Judges what came in the exercise, at least one request; `runs` are all exercises. */
  readonly judge: (attempts: Attempts, run: Run, runs: readonly Run[]) => Finding
}
type Attempts = readonly [CapturedRequest, ...CapturedRequest[]]

// Milliseconds: shorter pauses are none, and timers are that exact.
const NO_PAUSE = 100
const TIMER = 50
// Timestamps are whole seconds, so attempts closer than that may carry the same one.
const DISTINCT = 1500

const CHECKS: readonly Check[] = [
  { name: 'delivers', exercise: 'accept', judge: ([first]) => ['pass', describe(first)] },
  {
    name: 'delivers once',
    exercise: 'accept',
    judge: ({ length }) =>
      length === 1
        ? ['pass', 'one request, answered 200']
        : ['fail', `${length} requests, though the first was answered 200`],
  },
  { name: 'signs', exercise: 'accept', judge: ([first]) => judgeSignature(first) },
  { name: 'retries after 503', exercise: '503-twice', judge: judgeRetry },
  { name: 'backs off', exercise: '503-twice', judge: judgePauses },
  { name: 'keeps the id', exercise: '503-twice', judge: judgeId },
  { name: 'keeps the body', exercise: '503-twice', judge: judgeBody },
  { name: 'signs each attempt', exercise: '503-twice', judge: judgeFreshness },
  { name: 'retries after a reset', exercise: 'reset', judge: judgeRetry },
  {
    name: 'has a time-out',
    exercise: 'hang',
    judge: ([{ outcome, elapsed }], { wait }) =>
      outcome === 'left'
        ? ['pass', `gave up after ${formatDuration(elapsed)}`]
        : ['unclear', `still waited after ${formatDuration(wait)}; --wait waits longer`],
  },
  {
    name: 'retries after a time-out',
    exercise: 'hang',
    judge: (attempts, run) =>
      attempts[0].outcome === 'left'
        ? judgeRetry(attempts, run)
        : ['none', 'it did not give up, and got its answer in the end'],
  },
  {
    name: 'bears a slow receiver',
    exercise: 'slow',
    judge: ([{ outcome, elapsed }, ...more]) =>
      outcome === 'left'
        ? ['fail', `gave up after ${formatDuration(elapsed)}`]
        : judgeOnce(more.length, `waited ${formatDuration(elapsed)}`),
  },
  {
    name: 'checks its receiver',
    exercise: 'challenge',
    judge: (_, { challenges }) =>
      challenges > 0
        ? ['fail', 'sends webhooks to a receiver that failed its challenge']
        : ['none', 'it sends no challenge'],
  },
  {
    name: 'stops at 410',
    exercise: '410',
    judge: ([, ...more], run) =>
      judgeOnce(
        more.length,
        run.ended ? 'the sender ended' : `none in ${formatDuration(run.wait)}`,
      ),
  },
  {
    name: 'honours Retry-After',
    exercise: '429',
    judge: (attempts, run) => {
      if (attempts.length === 1) return judgeRetry(attempts, run)
      const [pause] = pauses(attempts)
      const state = pause >= RETRY_AFTER * 1000 - TIMER ? 'pass' : 'fail'
      return [state, `came back after ${formatDuration(pause)}, asked for ${RETRY_AFTER} s`]
    },
  },
  {
    name: 'follows no redirect',
    exercise: 'redirect',
    judge: (attempts) =>
      attempts.some(({ path }) => path.startsWith(ELSEWHERE))
        ? ['fail', 'sent the webhook to the new address']
        : ['pass', 'nothing came to the new address'],
  },
  {
    name: 'bears a large answer',
    exercise: 'large',
    judge: ([, ...more]) => judgeOnce(more.length, 'one request'),
  },
]

/** The verdicts on the exercises that were run, in the order of the table. */
export function judge(runs: readonly Run[]): readonly Verdict[] {
  return CHECKS.flatMap(({ name, exercise, judge }) => {
    const run = runs.find((each) => each.exercise.name === exercise)
    if (!run) return []
    const { attempts } = run
    const [state, detail] = hasAny(attempts) ? judge(attempts, run, runs) : judgeNothing(run)
    return [{ check: name, exercise, state, detail: safeLine(detail) }]
  })
}

function judgeNothing({ exercise, challenges }: Run): Finding {
  if (exercise.failsChallenge && challenges > 0) {
    return ['pass', 'sends nothing to a receiver that failed its challenge']
  }
  return [exercise.name === 'accept' ? 'fail' : 'unclear', 'nothing arrived']
}

const hasAny = (attempts: readonly CapturedRequest[]): attempts is Attempts => attempts.length > 0

function describe({ method, headers, size }: CapturedRequest): string {
  return [method, mediaType(headers) || 'no content type', formatSize(size)].join(' · ')
}

/** Milliseconds from the end of each attempt to the next one. */
const pauses = (attempts: readonly CapturedRequest[]): number[] =>
  attempts.slice(1).map(({ time }, index) => Math.max(0, time.getTime() - endOf(attempts[index])))

const endOf = ({ time, elapsed }: CapturedRequest) => time.getTime() + elapsed

const judgeOnce = (more: number, detail: string): Finding =>
  more === 0 ? ['pass', detail] : ['fail', `${more} more attempt${more === 1 ? '' : 's'}`]

function judgeRetry(attempts: Attempts, { ended, wait }: Run): Finding {
  if (attempts.length > 1)
    return ['pass', `after ${pauses(attempts).map(formatDuration).join(', ')}`]
  if (ended) return ['fail', 'the sender ended without a second attempt']
  return ['unclear', `no second attempt within ${formatDuration(wait)}; --wait waits longer`]
}

const UNCOMPARED: Finding = ['unclear', 'there was no retry to compare with']

function judgePauses(attempts: Attempts): Finding {
  const [first, second] = pauses(attempts)
  if (first === undefined) return UNCOMPARED
  if (Math.min(first, second ?? first) < NO_PAUSE) return ['fail', 'it retries without a pause']
  if (second === undefined) return ['unclear', `one retry only, after ${formatDuration(first)}`]
  const both = `${formatDuration(first)}, then ${formatDuration(second)}`
  if (second > first * 1.2) return ['pass', both]
  if (second > first * 0.8) return ['fail', `the pause does not grow: ${both}`]
  return ['unclear', `the second pause is shorter, perhaps by chance: ${both}`]
}

function judgeBody([first, ...more]: Attempts): Finding {
  if (more.length === 0) return UNCOMPARED
  const other = more.findIndex(({ bytes }) => !bytes.equals(first.bytes))
  if (other === -1) return ['pass', `the same ${formatSize(first.size)} in each attempt`]
  return ['fail', `the body of attempt ${other + 2} differs from the first`]
}

const ID_HEADER = /(^|-)(id|guid|uuid|delivery|idempotency-key)$/i
const ID_KEY = /^(id|uuid|guid|(event|message|webhook|delivery)_?id)$/i

/** Everything in a request that may be the id of the message, by its place. */
function ids(request: CapturedRequest): Map<string, string> {
  const found = new Map(request.headers.filter(([name]) => ID_HEADER.test(name)))
  try {
    const body = request.json()
    for (const [key, value] of Object.entries(body ?? {})) {
      if (ID_KEY.test(key)) found.set(`"${key}" in the body`, String(value))
    }
  } catch {
    // A body that is not JSON has no keys.
  }
  return found
}

function judgeId(attempts: Attempts, run: Run, runs: readonly Run[]): Finding {
  const [first, ...more] = attempts.map(ids)
  // What is the same in different messages, such as the number of an account, names none of them.
  const others = runs.filter((each) => each !== run).flatMap((each) => each.attempts.slice(0, 1))
  const isShared = (place: string) =>
    others.some((each) => ids(each).get(place) === first.get(place))
  const places = [...first.keys()].filter((place) => !isShared(place))
  if (places.length === 0) {
    return ['fail', 'neither a header nor the body holds an id of the message']
  }
  if (more.length === 0) return UNCOMPARED
  const kept = places.find((place) => more.every((each) => each.get(place) === first.get(place)))
  if (kept !== undefined) return ['pass', `${kept} stays ${first.get(kept)}`]
  return ['fail', `${places[0]} changes with each attempt`]
}

const signatureOf = ({ headers }: CapturedRequest) =>
  headers.find(([name]) => /signature|hmac|digest/i.test(name))

function judgeSignature(request: CapturedRequest): Finding {
  const { signature } = request
  if (signature?.state === 'verified') return ['pass', `${signature.scheme}, verified`]
  if (signature) return ['fail', signature.cause ?? signature.state]
  const header = signatureOf(request)
  if (header) return ['unclear', `${header[0]} is there; --secret verifies it`]
  return ['fail', 'no header holds a signature']
}

/** Seconds since 1970 at which an attempt says it was signed. */
const signedAt = ({ time, signature }: CapturedRequest) =>
  Math.round(time.getTime() / 1000) - (signature?.age ?? 0)

function judgeFreshness(attempts: Attempts): Finding {
  const [first, ...more] = attempts
  const last = more.at(-1)
  if (!signatureOf(first) && !first.signature) return ['none', 'it does not sign']
  if (!last) return UNCOMPARED
  const broken = attempts.findIndex(({ signature }) => signature && signature.state !== 'verified')
  if (broken !== -1) return ['fail', `attempt ${broken + 1}: ${attempts[broken].signature?.cause}`]
  if (first.signature && first.signature.age === null) {
    return ['none', `${first.signature.scheme} signs no timestamp`]
  }
  const isSame = first.signature
    ? signedAt(last) - signedAt(first) <= 1
    : isDeepStrictEqual(signatureOf(first), signatureOf(last))
  if (!isSame) return ['pass', 'each attempt has a signature of its own']
  if (last.time.getTime() - first.time.getTime() < DISTINCT) {
    return ['unclear', 'the attempts came within the same second']
  }
  if (!first.signature) return ['unclear', 'the signature stays the same; --secret tells its time']
  return ['fail', `the last attempt carries a signature ${last.signature?.age} s old`]
}
