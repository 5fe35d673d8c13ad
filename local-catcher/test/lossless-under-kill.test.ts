import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launchProcess, sendMany, sized, temporaryFolder } from './launch.js'

const CONNECTIONS = 32

const recorded = (file: string) =>
  new Set(
    [...readFileSync(file, 'utf8').matchAll(/"url":"\/load\/(\d+)".*"answer":200\}\n/g)].map(
      (match) => Number(match[1]),
    ),
  )

const missing = (answered: readonly number[], written: ReadonlySet<number>) =>
  answered.filter((number) => !written.has(number))

/** Sends over many connections until nobody answers; does `act` once `count` answers are there. */
async function sendUntil(port: number, count: number, act: () => unknown) {
  let asked = 0
  // A body is made once the answer before it is there, but for the first of each connection.
  return await sendMany(port, CONNECTIONS, Infinity, () => {
    if (++asked === count + CONNECTIONS) act()
    return '{}'
  })
}

it('has in the record what was answered, whenever it is killed', async () => {
  for (let round = 0; round < sized(4, 20); round++) {
    const file = join(temporaryFolder(), 'record.jsonl')
    const catcher = await launchProcess(['--quiet', '--output', file])
    const most = 30 + Math.floor(Math.random() * 1000)
    const { answered } = await sendUntil(catcher.port, most, () => catcher.kill('SIGKILL'))
    expect(answered.length).toBeGreaterThanOrEqual(most)
    expect(missing(answered, recorded(file))).toEqual([])
  }
})

it('has on standard output, where that is a file, what was answered', async () => {
  const catcher = await launchProcess(['--json'])
  const { answered } = await sendUntil(catcher.port, 200, () => catcher.kill('SIGKILL'))
  const written = new Set(
    [...catcher.screen().matchAll(/"url":"\/load\/(\d+)".*\n/g)].map((match) => Number(match[1])),
  )
  expect(answered.length).toBeGreaterThanOrEqual(200)
  expect(missing(answered, written)).toEqual([])
})

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'finishes what runs on %s: what is written was answered, and the other way round',
  async (signal) => {
    const file = join(temporaryFolder(), 'record.jsonl')
    const catcher = await launchProcess(['--quiet', '--output', file])
    const { answered } = await sendUntil(catcher.port, 200, () => catcher.kill(signal))
    expect(await catcher.ended).toBe(0)
    const order = (one: number, other: number) => one - other
    expect(answered.length).toBeGreaterThanOrEqual(200)
    expect(answered.sort(order)).toEqual([...recorded(file)].sort(order))
  },
)
