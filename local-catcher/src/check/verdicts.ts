// What a sender's behaviour in the exercises says about it: one row of the table per check.
import { mediaType } from '../content.js'
import { placesOf } from '../expect/compare.js'
import type { CapturedRequest } from '../request.js'
import { safeLine } from '../show/safe-text.js'
import { count, formatDuration, formatSize } from '../values.js'
import { ELSEWHERE, RETRY_AFTER, type Run } from './drill.js'

/** `unclear`: the drill could not tell. `none`: the check does not apply to this sender. */
export type State = 'pass' | 'fail' | 'unclear' | 'none'

type Finding = Readonly<{ state: State; detail: string }>
/** What was found about a sender: a row of the table. */
export type Verdict = Finding & Readonly<{ check: string }>

const finding = (state: State) => (detail: string) => ({ state, detail })
const [pass, fail] = [finding('pass'), finding('fail')]
const [unclear, none] = [finding('unclear'), finding('none')]

type Attempts = readonly [CapturedRequest, ...CapturedRequest[]]
/** Judges what came in an exercise, at least one request; `runs` are all exercises. */
type Judge = (attempts: Attempts, run: Run, runs: readonly Run[]) => Finding

// Milliseconds: shorter pauses are none.
const NO_PAUSE = 100
// Timers are exact to 50.
const ASKED = RETRY_AFTER * 1000 - 50
// Timestamps are whole seconds, so attempts closer than that may carry the same one.
const DISTINCT = 1500

/** By exercise, the checks that follow from it. */
const CHECKS: Readonly<Record<string, Readonly<Record<string, Judge>>>> = {
  accept: {
    delivers: ([{ method, headers, size }]) => {
      const type = mediaType(headers) || 'no content type'
      const seen = [method, type, formatSize(size)].join(' · ')
      return size > 0 ? pass(seen) : unclear(`${seen}; is that the webhook?`)
    },
    'delivers once': judgeOnce('one request, answered 200'),
    signs: judgeSignature,
  },
  '503-twice': {
    'retries after 503': judgeRetry,
    'backs off': judgePauses,
    'keeps the id': judgeId,
    'keeps the body': judgeBody,
    'signs each attempt': judgeFreshness,
  },
  reset: { 'retries after a reset': judgeRetry },
  hang: {
    'has a time-out': ([{ outcome, elapsed }], { wait }) =>
      outcome === 'left'
        ? pass(`gave up after ${formatDuration(elapsed)}`)
        : unclear(`still waited after ${formatDuration(wait)}; --wait waits longer`),
    'retries after a time-out': (attempts, run, runs) =>
      attempts[0].outcome === 'left'
        ? judgeRetry(attempts, run, runs)
        : none('it did not give up, and got its answer in the end'),
  },
  '410': { 'stops at 410': judgeOnce('one request') },
  '429': {
    'honours Retry-After': (attempts, run, runs) => {
      const [pause] = pauses(attempts)
      if (pause === undefined) return judgeRetry(attempts, run, runs)
      const came = `came back after ${formatDuration(pause)}, asked for ${RETRY_AFTER} s`
      if (pause < ASKED) return fail(came)
      const [usual = ASKED] = pausesAfter503(runs)
      return usual < ASKED ? pass(came) : unclear(`${came}; after 503 it may pause as long`)
    },
  },
  redirect: {
    'follows no redirect': (attempts, run, runs) =>
      attempts.some(({ path }) => path.startsWith(ELSEWHERE))
        ? fail('sent the webhook to the new address')
        : judgeLast(run, runs, 'nothing came to the new address'),
  },
}

/** The verdicts on the exercises that were run, in their order. */
export function judge(runs: readonly Run[]): readonly Verdict[] {
  return runs.flatMap((run) => {
    const { attempts } = run
    return Object.entries(CHECKS[run.exercise.name]).map(([check, judge]) => {
      const nothing = (check === 'delivers' ? fail : unclear)('nothing arrived')
      const found = hasAny(attempts) ? judge(attempts, run, runs) : nothing
      const { state, detail } = mayHaveStrays(run, runs) ? STRAYS : found
      return { check, state, detail: safeLine(detail) }
    })
  })
}

const hasAny = (attempts: readonly CapturedRequest[]): attempts is Attempts => attempts.length > 0

/** Milliseconds from the end of each attempt to the next one. */
const pauses = (attempts: readonly CapturedRequest[]): number[] =>
  attempts.slice(1).map(({ time }, index) => {
    const before = attempts[index]
    return Math.max(0, time.getTime() - before.time.getTime() - before.elapsed)
  })

function judgeOnce(detail: string): Judge {
  return (attempts, run, runs) =>
    attempts.length === 1
      ? judgeLast(run, runs, detail)
      : fail(`${count(attempts.length - 1, 'more attempt')} after ${attempts[0].answer}`)
}

/** Passes a sender that did right until now, if it is known that nothing more would have come. */
function judgeLast(run: Run, runs: readonly Run[], detail: string): Finding {
  if (run.ended) return pass(`${detail}; the sender ended`)
  const none = `${detail}; no more in ${formatDuration(run.wait)}`
  const [pause] = pausesAfter503(runs)
  if (pause === undefined) return unclear(`${none}, and how long it pauses is not known`)
  const retries = `it retries after ${formatDuration(pause)}`
  if (isWithin(run.wait, pause)) return pass(`${none}, and ${retries}`)
  return unclear(`${none}, but ${retries}; --wait waits longer`)
}

const pausesAfter503 = (runs: readonly Run[]) =>
  pauses(runs.find(({ exercise }) => exercise.name === '503-twice')?.attempts ?? [])

/** Senders vary their pauses, so that to wait for as long as one of them proves nothing. */
const isWithin = (wait: number, pause: number) => pause * 2 <= wait

const STRAYS = unclear('a request may be of an earlier exercise: it came to another URL than given')

/** Whether some of many requests to a URL that was not given may be of an exercise before. */
function mayHaveStrays(run: Run, runs: readonly Run[]): boolean {
  const [pause = Infinity] = pausesAfter503(runs)
  const isOver = ({ attempts, ended, wait }: Run) =>
    ended || isWithin(wait, pause) || /^2/.test(`${attempts.at(-1)?.answer}`)
  const before = runs.slice(0, runs.indexOf(run))
  const isGiven = ({ path }: CapturedRequest) => path.includes(`/${run.exercise.name}`)
  return run.attempts.length > 1 && !run.attempts.every(isGiven) && !before.every(isOver)
}

const AS_MANY = unclear('it sends as many when it is answered 200')

/** Whether there are more attempts than a sender makes that is answered 200. */
const isMore = ({ length }: Attempts, runs: readonly Run[]): boolean =>
  length > (runs.find(({ exercise }) => exercise.name === 'accept')?.attempts.length ?? 0)

function judgeRetry(attempts: Attempts, { ended, wait }: Run, runs: readonly Run[]): Finding {
  if (attempts.length > 1 && !isMore(attempts, runs)) return AS_MANY
  if (attempts.length > 1) return pass(`after ${pauses(attempts).map(formatDuration).join(', ')}`)
  if (ended) return fail('the sender ended without a second attempt')
  return unclear(`no second attempt within ${formatDuration(wait)}; --wait waits longer`)
}

const UNCOMPARED = unclear('there was no retry to compare with')

function judgePauses(attempts: Attempts, _run: Run, runs: readonly Run[]): Finding {
  const [first, second] = pauses(attempts)
  if (first === undefined) return UNCOMPARED
  if (!isMore(attempts, runs)) return AS_MANY
  if (Math.min(first, second ?? first) < NO_PAUSE) return fail('it retries without a pause')
  if (second === undefined) return unclear(`one retry only, after ${formatDuration(first)}`)
  const both = `${formatDuration(first)}, then ${formatDuration(second)}`
  if (second > first * 1.2) return pass(both)
  if (second > first * 0.8) return fail(`the pause does not grow: ${both}`)
  return unclear(`the second pause is shorter, perhaps by chance: ${both}`)
}

function judgeBody([first, ...more]: Attempts): Finding {
  if (more.length === 0) return UNCOMPARED
  const other = more.findIndex(({ bytes }) => !bytes.equals(first.bytes))
  if (other === -1) return pass(`the same ${formatSize(first.size)} in each attempt`)
  return fail(`the body of attempt ${other + 2} differs from the first`)
}

const ID =
  /^(header (.*-)?(id|guid|uuid|delivery|idempotency-key)|body\.(id|uuid|guid|(event|message|webhook|delivery)_?id))$/i

/** Where it is there, it is the id. */
const OF_STANDARD = 'header webhook-id'

/** Everything in a request whose place is that of an id. */
const ids = (request: CapturedRequest) =>
  new Map([...placesOf(request)].filter(([place]) => ID.test(place)))

function judgeId(attempts: Attempts, run: Run, runs: readonly Run[]): Finding {
  const [first, ...more] = attempts.map(ids)
  // What is the same in different messages, such as the number of an account, names none of them.
  const others = runs.filter((each) => each !== run).flatMap((each) => each.attempts.slice(0, 1))
  const isShared = (place: string) => others.some((each) => isSame(ids(each), place))
  const isSame = (other: ReadonlyMap<string, string>, place: string) =>
    other.get(place) === first.get(place)
  const named = first.has(OF_STANDARD) ? [OF_STANDARD] : [...first.keys()]
  if (named.length === 0) return unclear('no header or key of the body is named as its id')
  const places = named.filter((place) => !isShared(place))
  if (places.length === 0) return fail(`${named[0]} is the same in different messages`)
  if (more.length === 0) return UNCOMPARED
  const kept = places.find((place) => more.every((each) => isSame(each, place)))
  if (kept === undefined) return fail(`${places[0]} changes with each attempt`)
  return pass(`${kept} stays ${first.get(kept)}`)
}

const signatureOf = ({ headers }: CapturedRequest) =>
  headers.find(([name]) => /signature|hmac|digest/i.test(name))

function judgeSignature([request]: Attempts): Finding {
  const { signature } = request
  if (signature?.state === 'verified') return pass(`${signature.scheme}, verified`)
  if (signature) return fail(signature.cause ?? signature.state)
  const header = signatureOf(request)
  if (header) return unclear(`${header[0]} is there; --secret verifies it`)
  return fail('no header holds a signature')
}

/** Seconds since 1970 at which an attempt says it was signed, else its signature. */
const signedAt = (request: CapturedRequest) =>
  request.signature
    ? Math.floor(request.time.getTime() / 1000) - (request.signature.age ?? 0)
    : signatureOf(request)?.[1]

function judgeFreshness(attempts: Attempts): Finding {
  const [first, ...more] = attempts
  const { signature } = first
  if (!signatureOf(first) && signature?.state !== 'verified') return none('it does not sign')
  if (more.length === 0) return UNCOMPARED
  const broken = attempts.findIndex(({ signature }) => signature && signature.state !== 'verified')
  if (broken !== -1) return fail(`attempt ${broken + 1}: ${attempts[broken].signature?.cause}`)
  if (signature?.age === null) return none(`${signature.scheme} signs no timestamp`)
  const times = attempts.map(signedAt)
  if (new Set(times).size === times.length) return pass('each attempt has a signature of its own')
  const stale = attempts.find((each, index) => {
    const before = attempts[times.indexOf(times[index])]
    return each.time.getTime() - before.time.getTime() >= DISTINCT
  })
  if (!stale) return unclear('the attempts came within the same second')
  if (!signature) return unclear('the signature stays the same; --secret tells its time')
  const number = attempts.indexOf(stale) + 1
  return fail(`attempt ${number} has a signature ${stale.signature?.age} s old`)
}
