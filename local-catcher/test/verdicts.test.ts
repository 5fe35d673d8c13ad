// What `check` says of single exercises, whatever sender made the requests.
import { expect, it } from 'vitest'
import { EXERCISES } from '../src/check/drill.js'
import { judge } from '../src/check/verdicts.js'
import { parseRecord } from '../src/index.js'

/** What a check says of a sender that sent these requests in an exercise. */
function verdictOn(check: string, name: string, requests: readonly object[]) {
  const attempts = requests.map((request) =>
    parseRecord(JSON.stringify({ headers: [['X-Id', '1']], body: 'x', ...request })),
  )
  const exercise = EXERCISES.find((each) => each.name === name)!
  const verdicts = judge([{ exercise, attempts, ended: true, wait: 1000 }])
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

it('knows the id of the standard, whatever else stays the same', () => {
  const attempts = ['a', 'b'].map((id) => ({ headers: [['webhook-id', id]], body: '{"id":1}' }))
  expect(verdictOn('keeps the id', '503-twice', attempts)).toBe(
    'fail: header webhook-id changes with each attempt',
  )
})

it('does not ask for fresh signatures of a sender that does not sign', () => {
  const signature = { scheme: 'standard', state: 'failed', cause: 'no header', age: null }
  const attempts = [{ signature }, { signature }]
  expect(verdictOn('signs each attempt', '503-twice', attempts)).toBe('none: it does not sign')
})

it.each<[headers: readonly string[], verdict: string]>([
  [['Date', 'X-Hub-Signature'], 'unclear: X-Hub-Signature is there; --secret verifies it'],
  [['Content-Digest'], 'unclear: Content-Digest is there; --secret verifies it'],
  [['Date', 'Authorization'], 'fail: no header holds a signature'],
])('finds a signature without a secret by the name of its header: %j', (names, verdict) => {
  const headers = names.map((name) => [name, 'x'])
  expect(verdictOn('signs', 'accept', [{ headers }])).toBe(verdict)
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
