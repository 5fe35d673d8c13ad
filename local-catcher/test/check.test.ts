import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { EXERCISES } from '../src/check/exercises.js'
import { judge } from '../src/check/verdicts.js'
import { parseRecord } from '../src/index.js'
import { finish } from './launch.js'

const SENDER = fileURLToPath(new URL('senders/flawed.js', import.meta.url))
const SECRET = 'standard:whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw=='
const OTHERS = EXERCISES.map(({ name }) => name).filter((name) => name !== 'accept')

interface Result {
  readonly passed: number
  readonly failed: number
  readonly unclear: number
  readonly checks: readonly { check: string; exercise: string; state: string; detail: string }[]
  readonly exercises: readonly { exercise: string; attempts: readonly { after: number }[] }[]
}

/** Runs the check on the sender with some flaws, in one exercise beside the first, or in all. */
async function checkSender(flaws: string, exercise: string | null, ...flags: readonly string[]) {
  const skipped = OTHERS.filter((each) => exercise !== null && each !== exercise)
  const skips = skipped.flatMap((name) => ['--skip', name])
  const args = ['check', '--json', '--wait', '12s', '--secret', SECRET, ...skips, ...flags]
  const { code, screen } = await finish([...args, '--', process.execPath, SENDER], { FLAWS: flaws })
  return { code, result: JSON.parse(screen) as Result }
}

const failures = ({ checks }: Result) =>
  checks.filter(({ state }) => state !== 'pass').map(({ check, state }) => `${check}: ${state}`)

it('passes a sender that does everything right', async () => {
  const { code, result } = await checkSender('', null, '--parallel', '--strict')
  expect(failures(result), JSON.stringify(result)).toEqual(['checks its receiver: none'])
  expect(result.checks.length).toBeGreaterThanOrEqual(16)
  expect(code).toBe(0)
})

it.concurrent.each<[flaw: string, exercise: string, failed: readonly string[], detail: RegExp]>([
  ['repeats', 'accept', ['delivers once: fail'], /^2 requests, though the first was answered 200$/],
  ['unsigned', 'accept', ['signs: fail'], /^the request has no webhook-signature/],
  [
    'gives-up',
    '503-twice',
    [
      'retries after 503: fail',
      'backs off: unclear',
      'keeps the id: unclear',
      'keeps the body: unclear',
      'signs each attempt: unclear',
    ],
    /^the sender ended without a second attempt$/,
  ],
  ['steady', '503-twice', ['backs off: fail'], /^the pause does not grow: /],
  ['new-id', '503-twice', ['keeps the id: fail'], /^webhook-id changes with each attempt$/],
  ['new-body', '503-twice', ['keeps the body: fail'], /^the body of attempt 2 differs/],
  ['stale', '503-twice', ['signs each attempt: fail'], /carries a signature \d s old$/],
  ['gives-up', 'reset', ['retries after a reset: fail'], /without a second attempt/],
  ['gives-up', 'hang', ['retries after a time-out: fail'], /without a second attempt/],
  ['impatient', 'slow', ['bears a slow receiver: fail'], /^gave up after (\d{3} ms|1)/],
  [
    'trusting',
    'challenge',
    ['checks its receiver: fail'],
    /^sends webhooks to a receiver that failed its challenge$/,
  ],
  ['stubborn', '410', ['stops at 410: fail'], /^2 more attempts$/],
  ['hasty', '429', ['honours Retry-After: fail'], /^came back after .*, asked for 2 s$/],
  ['follows', 'redirect', ['follows no redirect: fail'], /^sent the webhook to the new address$/],
  ['greedy', 'large', ['bears a large answer: fail'], /^1 more attempt$/],
])('finds a sender that is %s in %s', async (flaw, exercise, failed, detail) => {
  const { code, result } = await checkSender(flaw, exercise)
  expect(failures(result)).toEqual(failed)
  const [name] = failed[0].split(':')
  expect(result.checks.find(({ check }) => check === name)?.detail).toMatch(detail)
  expect(code).toBe(6)
})

/** What a check says of a sender that sent these requests in an exercise. */
function verdictOn(check: string, name: string, requests: readonly object[]) {
  const attempts = requests.map((request) =>
    parseRecord(JSON.stringify({ headers: [['X-Id', '1']], body: 'x', ...request })),
  )
  const exercise = EXERCISES.find((each) => each.name === name)!
  const verdicts = judge([{ exercise, attempts, challenges: 0, ended: true, wait: 1000 }])
  const { state, detail } = verdicts.find((each) => each.check === check)!
  return `${state}: ${detail}`
}

/** What is said of a sender that came back after these pauses, in ms, when it was answered 503. */
function judgePauses(...pauses: readonly number[]) {
  let at = Date.parse('2026-11-22T12:00:00Z')
  const times = [0, ...pauses].map((pause) => new Date((at += pause)).toISOString())
  return verdictOn(
    'backs off',
    '503-twice',
    times.map((time) => ({ time })),
  )
}

it('blames no sender for a receiver that was late itself', () => {
  const left = (elapsed: number) => [{ outcome: 'left', elapsed }]
  expect(verdictOn('bears a slow receiver', 'slow', left(2900))).toBe('fail: gave up after 2.9 s')
  expect(verdictOn('bears a slow receiver', 'slow', left(4600))).toBe(
    'unclear: gave up after 4.6 s; the receiver was late',
  )
})

it('does not ask for fresh signatures of a sender that does not sign', () => {
  const signature = { scheme: 'standard', state: 'failed', cause: 'no header', age: null }
  const attempts = [{ signature }, { signature }]
  expect(verdictOn('signs each attempt', '503-twice', attempts)).toBe('none: it does not sign')
})

it.each<[pauses: readonly number[], verdict: string]>([
  [[], 'unclear: there was no retry to compare with'],
  [[1000], 'unclear: one retry only, after 1 s'],
  [[1000, 2000], 'pass: 1 s, then 2 s'],
  [[1000, 1000], 'fail: the pause does not grow: 1 s, then 1 s'],
  [[1000, 1100], 'fail: the pause does not grow: 1 s, then 1.1 s'],
  [[1000, 500], 'unclear: the second pause is shorter, perhaps by chance: 1 s, then 500 ms'],
  [[20, 2000], 'fail: it retries without a pause'],
])('judges retries after %j ms', (pauses, verdict) => {
  expect(judgePauses(...pauses)).toBe(verdict)
})

it('does not take for a failure what it could not see', async () => {
  // A service that is triggered, and answers the trigger before it sends anything.
  const service = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      response.writeHead(202).end()
      const { url } = JSON.parse(text) as { url: string }
      void fetch(url, { method: 'POST', body: '{}' }).catch(() => null)
    })
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const trigger = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`
  const skips = OTHERS.slice(1).flatMap((name) => ['--skip', name])
  const args = ['check', '--port', '0', '--wait', '500ms', ...skips]
  const { code, screen, talk } = await finish([...args, trigger])
  expect(screen).toContain(
    '? retries after 503   no second attempt within 500 ms; --wait waits longer',
  )
  expect(talk).toContain('local-catcher: 503-twice: the receiver answers 503 twice, then 200\n')
  expect(code).toBe(6)
  service.close()
})

it.each<[string, readonly string[], number, RegExp]>([
  ['nothing to check', [], 2, /give either a URL to trigger a webhook, or '--' and a command/],
  ['two subjects', ['http://127.0.0.1:1/', '--', 'true'], 2, /give either a URL/],
  ['an unknown exercise', ['--skip', '510', '--', 'true'], 2, /'510' is not one of 503-twice, /],
  ['a sender that sends nothing', ['--', 'true'], 4, /the command sent nothing to the URL/],
  ['a command that is not there', ['--', '/nowhere'], 4, /cannot start '\/nowhere'/],
  [
    'a trigger that is not there',
    ['-p', '0', '-w', '1ms', 'http://127.0.0.1:1/'],
    4,
    /nothing listens/,
  ],
])('tells of %s', async (_name, args, code, message) => {
  const finished = await finish(['check', ...args])
  expect(finished.talk).toMatch(message)
  expect(finished.code).toBe(code)
})
