import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launch, sendMany, sized, temporaryFolder } from './launch.js'

const recorded = (file: string) =>
  new Set(
    [...readFileSync(file, 'utf8').matchAll(/"url":"\/load\/(\d+)".*"answer":200\}\n/g)].map(
      (match) => Number(match[1]),
    ),
  )

const missing = (answered: readonly number[], written: ReadonlySet<number>) =>
  answered.filter((number) => !written.has(number))

it('has in the record what was answered, whenever it is killed', async () => {
  let answers = 0
  for (let round = 0; round < sized(4, 20); round++) {
    const file = join(temporaryFolder(), 'record.jsonl')
    const catcher = await launch(['--quiet', '--output', file])
    setTimeout(() => catcher.process.kill('SIGKILL'), 150 + Math.random() * 600)
    const { answered } = await sendMany(catcher.port, 32, Infinity)
    answers += answered.length
    expect(missing(answered, recorded(file))).toEqual([])
  }
  expect(answers).toBeGreaterThan(100)
})

it('has on standard output, where that is a file, what was answered', async () => {
  const catcher = await launch(['--json'])
  setTimeout(() => catcher.process.kill('SIGKILL'), 500)
  const { answered } = await sendMany(catcher.port, 32, Infinity)
  const written = new Set(
    [...catcher.screen().matchAll(/"url":"\/load\/(\d+)".*\n/g)].map((match) => Number(match[1])),
  )
  expect(answered.length).toBeGreaterThan(10)
  expect(missing(answered, written)).toEqual([])
})

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'finishes what runs on %s: what is written was answered, and the other way round',
  async (signal) => {
    const file = join(temporaryFolder(), 'record.jsonl')
    const catcher = await launch(['--quiet', '--output', file])
    const load = sendMany(catcher.port, 32, Infinity)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(await catcher.stop(signal)).toBe(0)
    const { answered } = await load
    const order = (one: number, other: number) => one - other
    expect(answered.length).toBeGreaterThan(10)
    expect(answered.sort(order)).toEqual([...recorded(file)].sort(order))
  },
)
