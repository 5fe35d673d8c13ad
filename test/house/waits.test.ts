/** Tests wait for states, never for a time: on a busy machine every time is too short. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const TESTS = join(import.meta.dirname, '..')
/** Programs rather than tests. */
const OTHERS = ['browser', 'ci', 'clients', 'fixtures', 'mutants']
const FOLDERS = readdirSync(TESTS, { withFileTypes: true })
  .filter((one) => one.isDirectory() && !OTHERS.includes(one.name))
  .map(({ name }) => name)

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(TESTS, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs)$/.test(name))
    .map((name) => `${folder}/${name}`),
)
const textOf = (file: string): string => readFileSync(join(TESTS, file), 'utf8')

const PAUSE = /\b(?:setTimeout|setInterval|waitFor|poll)\(|timers\/promises/
/** Of a test, before it or behind it. */
const TIME_OUT = /, \{ timeout: ([\d_]+)|^\s*\}, ([\d_]+)\)$/gm
/** As vitest.config.ts has it for all tests, in ms. */
const TIME_OUT_OF_ALL = 180_000

/** Whether a clock may end a wait: by a pause, or by a shorter time-out than all tests have. */
const waitsByClock = (text: string): boolean =>
  PAUSE.test(text) ||
  [...text.matchAll(TIME_OUT)].some(
    ([, before, behind]) => Number((before ?? behind)!.replaceAll('_', '')) < TIME_OUT_OF_ALL,
  )

/** Files whose pauses decide nothing, and what these are. */
const PAUSES: Readonly<Record<string, string>> = {
  'local/until.ts': 'the one wait for states',
  'proofs/durability/kill.test.ts': 'the random moments of kills',
  'local/kill/senders.ts': 'a sender that was refused comes again',
  'local/send-by-hook.mjs': "the service's own pauses, at another pace",
  'local/readers.test.ts': 'a client that leaves',
  'local/front.test.ts': 'a client that takes an answer slowly',
  'proofs/bounds/many-readers.test.ts': 'clients that take an answer slowly, and looks meanwhile',
  'worker/empty-database.ts': 'a pause of the service that never ends',
  'worker/stream.test.ts': 'time for what must not happen',
  'worker/nodes.test.ts': 'the next millisecond of the clock',
  'worker/puppet-reports.test.ts': 'the pauses of the service, a thousand times as short',
  'store/turns.test.ts': 'turns of the event loop, which are counted',
  'worker/limits.test.ts': 'a slow database',
  'worker/timeout.test.ts': 'a slow database',
  'proofs/isolate/in-flight.ts': 'a slow database',
  'proofs/catcher/package.test.ts': 'a time-out of the library',
  'conformance/garbage/wire.ts': 'the name of a request that is never answered',
  'proofs/isolate/service.ts': 'samples of the memory in use',
}

describe('a wait by the clock is found in', () => {
  it.each([
    ['await sleep(300)', "import { setTimeout as sleep } from 'node:timers/promises'"],
    ['a promise', 'await new Promise((resolve) => setTimeout(resolve, 50))'],
    ['a time budget', 'await vi.waitFor(look, { timeout: 30_000, interval: 5 })'],
    ['a time-out of one test', "it('x', { timeout: 120_000 }, async () => {"],
    ['one behind a test', '}, 60_000)'],
  ])('%s', (_, text) => {
    expect(waitsByClock(text)).toBe(true)
  })
})

it('is only where it decides nothing', () => {
  const found = files.filter((file) => {
    const text = textOf(file)
    return waitsByClock(text) && !text.includes('useFakeTimers')
  })
  expect(files.length).toBeGreaterThan(200)
  expect(found.filter((file) => file !== 'house/waits.test.ts').sort()).toEqual(
    Object.keys(PAUSES).sort(),
  )
})

// Their reports are of fixed times, which housekeeping takes for long past.
it('services are started where their reports do not expire', () => {
  const starting = files.filter((file) => /\bstartService\(|\.\.\.startWords\(/.test(textOf(file)))
  expect(starting.filter((file) => file !== 'house/waits.test.ts').sort()).toEqual([
    'local/local-service.ts',
    // It sends no report.
    'local/log-reader.test.ts',
    'local/npm-start.ts',
  ])
})
