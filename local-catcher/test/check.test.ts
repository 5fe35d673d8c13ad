import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { EXERCISES, type Run } from '../src/check/drill.js'
import { judge, type Verdict } from '../src/check/verdicts.js'
import { parseRecord, startCatcher } from '../src/index.js'
import { drillFor, drillSender, OTHERS, SECRET } from './drilling.js'
import { finish, finishProcess, lacks } from './launch.js'
import type { Flaw } from './senders/sender.js'

type Found = readonly Verdict[]
const statesOf = (verdicts: Found) => verdicts.map(({ check, state }) => `${check}: ${state}`)
const allBut = (state: string, verdicts: Found) =>
  statesOf(verdicts.filter((each) => each.state !== state))
const verdictOf = (verdicts: Found, check: string) => {
  const { state, detail } = verdicts.find((each) => each.check === check)!
  return `${state}: ${detail}`
}

/** Every check by its exercise, with a sender that must fail it and what is said of that. */
const MUST_FAIL: readonly [check: string, exercise: string, flaw: Flaw, detail: RegExp][] = [
  ['delivers', 'accept', 'silent', /^nothing arrived$/],
  ['delivers once', 'accept', 'repeats', /^1 more attempt after 200$/],
  ['signs', 'accept', 'unsigned', /^the request has no webhook-signature/],
  ['retries after 503', '503-twice', 'gives-up', /^the sender ended without a second attempt$/],
  ['backs off', '503-twice', 'steady', /^the pause does not grow: 1 s, then 1 s$/],
  ['backs off', '503-twice', 'hurried', /^it retries without a pause$/],
  ['keeps the id', '503-twice', 'new-id', /^header webhook-id changes with each attempt$/],
  ['keeps the id', '503-twice', 'same-id', /^header webhook-id is the same in different messages$/],
  ['keeps the body', '503-twice', 'new-body', /^the body of attempt 2 differs from the first$/],
  ['signs each attempt', '503-twice', 'stale', /^attempt 3 has a signature \d s old$/],
  ['retries after a reset', 'reset', 'gives-up', /^the sender ended without a second attempt$/],
  ['retries after a time-out', 'hang', 'gives-up', /^the sender ended without a second attempt$/],
  ['stops at 410', '410', 'stubborn', /^2 more attempts after 410$/],
  ['honours Retry-After', '429', 'hasty', /^came back after 1 s, asked for 2 s$/],
  ['follows no redirect', 'redirect', 'follows', /^sent the webhook to the new address$/],
]

describe('a sender', () => {
  it('passes every check where it does everything right, as a command and as a service', async () => {
    for (const isService of [false, true]) {
      const verdicts = judge(await drillSender({ isService }))
      expect([allBut('pass', verdicts), verdicts.length]).toEqual([[], 14])
    }
  })

  it.each(MUST_FAIL)('fails "%s" in %s where it is %s', async (check, exercise, flaw, detail) => {
    const verdicts = judge(await drillSender({ flaws: [flaw], exercises: [exercise] }))
    const [, state, text] = /^(\w+): (.*)$/.exec(verdictOf(verdicts, check))!
    expect([state, text]).toEqual(['fail', expect.stringMatching(detail)])
    const others = verdicts.filter((each) => each.state === 'fail' && each.check !== check)
    expect(statesOf(others)).toEqual([])
  })

  it('fails "signs each attempt" where one of three repeats its signature', async () => {
    const pace = { pause: 2000, patience: 8000 }
    const verdicts = judge(await drillSender({ flaws: ['lazy'], pace }))
    expect(verdictOf(verdicts, 'signs each attempt')).toMatch(
      /^fail: attempt 2 has a signature \d s old$/,
    )
  })

  it('is answered in each exercise as that says', async () => {
    const runs = await drillSender({})
    const answers = runs.map(({ exercise, attempts }) => [
      exercise.name,
      attempts.map(({ answer, outcome }) => answer ?? outcome),
    ])
    expect(Object.fromEntries(answers)).toEqual({
      accept: [200],
      '503-twice': [503, 503, 200],
      reset: ['reset', 200],
      hang: ['left', 200],
      '410': [410],
      '429': [429, 200],
      redirect: [307, 200],
    })
  })

  it('is not waited for any more once it has ended', async () => {
    expect((await drillFor({ exercises: [] })).took).toBeLessThanOrEqual(400)
    expect((await drillFor({ exercises: [], isService: true })).took).toBeGreaterThan(12_000)
  })

  it('can fail each of the checks but one, which has no wrong answer', async () => {
    const verdicts = judge(await drillSender({}))
    const failable = new Set(MUST_FAIL.map(([check]) => check))
    const never = verdicts.map(({ check }) => check).filter((check) => !failable.has(check))
    // Who waits for longer than the drill may still give up one day.
    expect(never).toEqual(['has a time-out'])
  })
})

/** A run with requests at these times, in ms, of a sender that is waited for. */
function runOf(name: string, ...times: readonly number[]): Run {
  const exercise = EXERCISES.find((each) => each.name === name)!
  const attempts = times.map((ms) => {
    const time = new Date(ms).toISOString()
    return parseRecord(JSON.stringify({ headers: [], body: 'x', time, answer: 503 }))
  })
  return { exercise, attempts, ended: false, wait: 12_000 }
}

describe('what could not be seen is unclear', () => {
  const LAST = ['delivers once', 'stops at 410', 'follows no redirect']

  it('of a service that retries after a longer pause than was waited', async () => {
    const pace = { pause: 60_000, patience: 8000 }
    const verdicts = judge(await drillSender({ pace, isService: true }))
    const states = statesOf(verdicts)
    for (const check of LAST) expect(states).toContain(`${check}: unclear`)
    for (const check of ['retries after 503', 'retries after a reset', 'honours Retry-After']) {
      expect(states).toContain(`${check}: unclear`)
    }
    expect(verdictOf(verdicts, 'stops at 410')).toBe(
      'unclear: one request; no more in 12 s, and how long it pauses is not known',
    )
  })

  it('of one that wrongly sends again, but later than was waited', async () => {
    const pace = { pause: 60_000, patience: 8000 }
    const flaws = ['repeats', 'stubborn'] as const
    const verdicts = judge(await drillSender({ pace, flaws, isService: true }))
    for (const check of LAST) expect(statesOf(verdicts)).toContain(`${check}: unclear`)
  })

  it('until it is waited for, in the exercise that needs it', async () => {
    const slow = { pace: { pause: 60_000, patience: 8000 }, isService: true } as const
    const exercises = ['503-twice', '410']
    const waits = { '503-twice': 70_000, '410': 130_000 }
    const good = judge(await drillSender({ ...slow, exercises, waits }))
    expect(verdictOf(good, 'stops at 410')).toBe(
      'pass: one request; no more in 130 s, and it retries after 60 s',
    )
    expect(verdictOf(good, 'delivers once')).toBe(
      'unclear: one request, answered 200; no more in 12 s, but it retries after 60 s; --wait waits longer',
    )
    const stubborn = judge(await drillSender({ ...slow, exercises, waits, flaws: ['stubborn'] }))
    expect(verdictOf(stubborn, 'stops at 410')).toBe('fail: 1 more attempt after 410')
  })

  it('of the id of a message, which may have any name', async () => {
    const verdicts = judge(await drillSender({ flaws: ['unsigned'], exercises: ['503-twice'] }))
    expect(verdictOf(verdicts, 'keeps the id')).toBe(
      'unclear: no header or key of the body is named as its id',
    )
  })

  it('of Retry-After, where the sender pauses for so long anyway', async () => {
    const pace = { pause: 2100, patience: 8000 }
    const exercises = ['503-twice', '429']
    const deaf = judge(await drillSender({ pace, exercises, flaws: ['hasty'] }))
    expect(verdictOf(deaf, 'honours Retry-After')).toBe(
      'unclear: came back after 2.1 s, asked for 2 s; after 503 it may pause as long',
    )
    const alone = judge(await drillSender({ exercises: ['429'] }))
    expect(verdictOf(alone, 'honours Retry-After')).toMatch(/^unclear: came back after 2 s/)
  })

  it('of retries, where the sender sends as many when it is answered 200', () => {
    const accepted = { ...runOf('accept', 0, 1), ended: true }
    const retries = (...times: readonly number[]) =>
      verdictOf(judge([accepted, runOf('reset', ...times)]), 'retries after a reset')
    expect(retries(0, 1)).toBe('unclear: it sends as many when it is answered 200')
    expect(retries(0, 1, 9)).toMatch(/^pass: /)
    const runs = [{ ...runOf('accept', 0, 1, 2), ended: true }, runOf('503-twice', 0, 310, 1000)]
    expect(verdictOf(judge(runs), 'backs off')).toBe(
      'unclear: it sends as many when it is answered 200',
    )
  })

  it('of a time-out that is longer than was waited', async () => {
    const verdicts = judge(await drillSender({ flaws: ['endless'], exercises: ['hang'] }))
    expect(verdictOf(verdicts, 'has a time-out')).toBe(
      'unclear: still waited after 12 s; --wait waits longer',
    )
    expect(verdictOf(verdicts, 'retries after a time-out')).toMatch(/^none: it did not give up/)
  })

  it('of requests that may be late ones of an earlier exercise, all going to one URL', async () => {
    const one = { isService: true, exercises: ['503-twice', '410'], path: '/hook' } as const
    const pace = { pause: 15_000, patience: 8000 }
    const verdicts = judge(await drillSender({ ...one, pace }))
    expect(verdictOf(verdicts, 'stops at 410')).toBe(
      'unclear: a request may be of an earlier exercise: it came to another URL than given',
    )
    const stubborn = judge(await drillSender({ ...one, flaws: ['stubborn'] }))
    expect(verdictOf(stubborn, 'stops at 410')).toBe('fail: 2 more attempts after 410')
  })

  it('but not where a late request came to the URL of its exercise', async () => {
    const pace = { pause: 15_000, patience: 8000 }
    const late = { isService: true, exercises: ['503-twice', '410'], pace } as const
    const verdicts = judge(await drillSender({ ...late, waits: { '410': 31_000 } }))
    expect(verdictOf(verdicts, 'stops at 410')).toMatch(/^unclear: one request; /)
  })

  it('of a service whose trigger failed, though it had sent by then', async () => {
    const verdicts = judge(await drillSender({ fails: true, exercises: [] }))
    expect(verdictOf(verdicts, 'delivers once')).toMatch(/^unclear: /)
  })

  it.each([
    [6000, 'pass'],
    [6001, 'unclear'],
  ])('after a wait of 12 s, of a sender that pauses for %i ms: %s', (pause, state) => {
    const verdicts = judge([runOf('503-twice', 0, pause), runOf('410', 0)])
    expect(verdictOf(verdicts, 'stops at 410')).toMatch(new RegExp(`^${state}: `))
  })

  it('of a request without a body, as a browser sends one for an icon', async () => {
    const verdicts = judge(await drillSender({ flaws: ['bare'], exercises: [] }))
    expect(verdictOf(verdicts, 'delivers')).toBe(
      'unclear: GET · application/json · 0 B; is that the webhook?',
    )
  })
})

it.skipIf(lacks('node'))('runs a command that sends by a library, as a process', async () => {
  const sender = fileURLToPath(new URL('senders/axios-retry.js', import.meta.url))
  const skips = OTHERS.filter((name) => name !== '503-twice').flatMap((name) => ['--skip', name])
  const args = ['check', '--strict', ...skips]
  const secret = `${SECRET.scheme}:${SECRET.secret}`
  const { code, screen } = await finishProcess(
    [...args, '--secret', secret, '--', process.execPath, sender],
    { SECRET: SECRET.secret },
  )
  expect(screen).toMatch(/\n8 passed, 0 failed, 0 unclear\n$/)
  expect(code).toBe(0)
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
  const args = ['check', '--port', '0', '--wait', '500ms', '--wait', '503-twice=600ms', ...skips]
  const { code, screen, talk } = await finish([...args, trigger])
  expect(screen).toContain(
    '? retries after 503   no second attempt within 600 ms; --wait waits longer',
  )
  expect(talk).toContain('local-catcher: 503-twice: the receiver answers 503 twice\n')
  expect(code).toBe(6)
  service.close()
})

it('tells of a trigger that fails', async () => {
  await using service = await startCatcher({ status: 500 })
  const { talk } = await finish(['check', '-p', '0', '-w', '1ms', service.url])
  expect(talk).toContain('local-catcher: the trigger failed: it answered 500\n')
})

it.each<[string, readonly string[], number, RegExp]>([
  ['nothing to check', [], 2, /give either a URL to trigger a webhook, or '--' and a command/],
  ['two subjects', ['http://127.0.0.1:1/', '--', 'true'], 2, /give either a URL/],
  [
    'a wait in an unknown exercise',
    ['--wait', '411=1s', '--', 'true'],
    2,
    /'411' is not one of accept/,
  ],
  ['an unknown exercise', ['--skip', '510', '--', 'true'], 2, /'510' is not one of 503-twice, /],
  ['a sender that sends nothing', ['--', 'true'], 4, /the command sent nothing to the URL/],
  [
    'a command that is not there',
    ['--', '/nowhere'],
    4,
    /cannot start '\/nowhere': there is no such command/,
  ],
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
