import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TestClock } from './clock.js'
import { finish, launch, post, temporaryFolder } from './launch.js'

const NOON = '2026-11-22T12:00:00.000Z'
const TEXT = [['content-type', 'text/plain;charset=UTF-8']]
/** A file with a record of POSTs to /hooks with these bodies. */
function recordOf(...bodies: readonly string[]): string {
  const file = join(temporaryFolder(), 'hooks.jsonl')
  const lines = bodies.map((body) =>
    JSON.stringify({ time: NOON, method: 'POST', url: '/hooks', headers: TEXT, body }),
  )
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  return file
}

/** Posts bodies to a catcher that expects a record, and lets time pass until it ends. */
async function judged(file: string, bodies: readonly string[], ...flags: readonly string[]) {
  const clock = new TestClock()
  const args = ['-q', '--expect', file, ...flags]
  const catcher = await launch(args, {}, clock)
  for (const body of bodies) await post(`${catcher.url}/hooks`, body)
  const code = await clock.passUntil(catcher.ended)
  return { code, talk: catcher.talk() }
}

describe('ids that differ each time', () => {
  const id = (digit: number) => `de909a3c-1129-4f6f-8692-db2310f9711${digit}`
  const order = (customer: number, number: number, by = customer) =>
    JSON.stringify({ customer: id(customer), order: id(number), by: id(by) })
  const sent = (number: number) => JSON.stringify({ sent: id(number) })
  const file = recordOf(order(1, 2), sent(2))

  it.each<[what: string, bodies: readonly string[], code: number, line: string]>([
    ['are the same wherever they were', [order(5, 6), sent(6)], 0, '2 of 2 requests are as in'],
    [
      'differ where they were the same in one request',
      [order(5, 6, 7), sent(6)],
      6,
      `- body.by: ${id(5)}, as body.customer\n    + body.by: ${id(7)}`,
    ],
    [
      'differ where they were the same in two',
      [order(5, 6), sent(5)],
      6,
      `- body.sent: ${id(6)}, as body.order\n    + body.sent: ${id(5)}`,
    ],
    [
      'are the same where they differed',
      [order(5, 5), sent(5)],
      6,
      `- body.customer: another id than body.sent\n    + body.customer: ${id(5)}`,
    ],
  ])('%s', async (_what, bodies, code, line) => {
    const found = await judged(file, bodies)
    expect(found.talk).toContain(line)
    expect(found.code).toBe(code)
  })

  it('are not compared in places that a mask names', async () => {
    const { code } = await judged(file, [order(5, 6, 7), sent(6)], '--mask', 'by')
    expect(code).toBe(0)
  })
})

describe('without a command', () => {
  const file = recordOf('{"a":1}')

  it.each([
    [[], 500],
    [['--settle', '2s'], 2000],
  ])('waits for what is too much: %j', async (flags, settle) => {
    const clock = new TestClock()
    const args = ['-q', '--expect', file, ...flags]
    const catcher = await launch(args, {}, clock)
    await post(`${catcher.url}/hooks`, '{"a":1}')
    await clock.pass(settle - 1)
    expect(catcher.isRunning()).toBe(true)
    await post(`${catcher.url}/hooks`, '{"a":1}')
    await clock.pass(settle - 1)
    expect(catcher.isRunning()).toBe(true)
    await post(`${catcher.url}/hooks`, '{"a":1}')
    expect(await clock.passUntil(catcher.ended)).toBe(6)
    for (const n of [2, 3]) {
      expect(catcher.talk()).toContain(`#${n}, POST /hooks: was not expected`)
    }
  })

  it('waits for it after --timeout, within which enough came', async () => {
    const { code } = await judged(file, ['{"a":1}'], '-t', '300ms')
    expect(code).toBe(0)
  })

  it('fails where both bodies were cut', async () => {
    const cut = join(temporaryFolder(), 'cut.jsonl')
    const limit = ['--max-body', '4']
    const recorder = await launch(['-q', '-o', cut, ...limit])
    await post(`${recorder.url}/hooks`, '{"a":1}')
    await recorder.stop()
    const { code, talk } = await judged(cut, ['{"a":2}'], ...limit)
    expect(talk).toContain('- body: 4 B kept of 7 B')
    expect(code).toBe(6)
  })
})

const SEND_LONG = `fetch(process.env.LOCAL_CATCHER_URL, { method: 'POST', body: '12345' })`

it('takes no withheld body for what was expected', async () => {
  const file = join(temporaryFolder(), 'withheld.jsonl')
  const redact = ['--redact', 'password']
  const recorder = await launch(['-q', '-o', file, ...redact])
  await post(`${recorder.url}/hooks`, 'my password is a')
  await recorder.stop()
  const { code, talk } = await judged(file, ['my password is b'], ...redact)
  expect(talk).toContain('- body: withheld, 16 B\n    + body: withheld, 16 B')
  expect(code).toBe(6)
})

describe('--update leaves the record as it is', () => {
  const kept = '{"headers":[],"body":"x"}\n'
  const reviewed = () => {
    const file = join(temporaryFolder(), 'keep.jsonl')
    writeFileSync(file, kept)
    return file
  }

  it.each<[what: string, command: readonly string[], code: number, reason: string]>([
    ['when nothing arrives', ['true'], 6, 'nothing arrived'],
    ['when the command fails', ['sh', '-c', 'exit 7'], 7, 'the run failed'],
    ['when a body was cut', [process.execPath, '-e', SEND_LONG], 6, 'a body was cut or withheld'],
  ])('%s', async (_what, command, code, reason) => {
    const file = reviewed()
    const flags = ['-p', '0', '--max-body', '4', '--expect', file, '--update']
    const found = await finish([...flags, '--', ...command])
    expect(found.talk).toContain(`${file} is not written: ${reason}`)
    expect(found.code).toBe(code)
    expect(readFileSync(file, 'utf8')).toBe(kept)
  })

  it('when too few arrive', async () => {
    const file = reviewed()
    const { code } = await judged(file, ['x'], '--update', '-n', '2', '-t', '1s')
    expect([code, readFileSync(file, 'utf8')]).toEqual([4, kept])
  })

  it('when it is interrupted, but not when a person ends it by hand', async () => {
    const file = reviewed()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const catcher = await launch(['-q', '--expect', file, '--update'])
      await post(catcher.url, 'y')
      const code = await catcher.stop(signal)
      const isWritten = readFileSync(file, 'utf8') !== kept
      expect([signal, code, isWritten]).toEqual([
        signal,
        ...(signal === 'SIGINT' ? [0, true] : [6, false]),
      ])
    }
  })
})

it.each([
  [20, /\+ body\[19\]: 2\n {2}accept/],
  [21, /\+ body\[19\]: 2\n +… 1 more places differ\n/],
])('shows 20 places of %i that differ', async (count, shown) => {
  const bodyOf = (value: number) => JSON.stringify(Array<number>(count).fill(value))
  const { talk } = await judged(recordOf(bodyOf(1)), [bodyOf(2)])
  expect(talk).toMatch(shown)
})

describe('an empty record', () => {
  it('is refused, and passes only where none is asked for', async () => {
    const file = recordOf()
    const { code, talk } = await finish(['-p', '0', '--expect', file, '--', 'true'])
    expect(talk).toContain(`${file} holds no request: --update writes it, --count 0 expects none`)
    expect(code).toBe(2)
    expect((await judged(file, [], '--count', '0')).code).toBe(0)
    const { talk: surplus, code: differs } = await judged(file, ['x'], '--count', '0')
    expect(surplus).toContain('#1, POST /hooks: was not expected')
    expect(differs).toBe(6)
    expect((await finish(['--count', '0'])).talk).toContain(
      '--count 0 expects no request, and takes --expect',
    )
  })
})
