/**
 * Garbage of every kind: whatever comes in, nothing breaks and nothing takes long.
 * GARBAGE_SEED=<number> GARBAGE_COUNT=1 sends one again.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tables } from './evaluator/tables.ts'
import { garbageOf } from './garbage.ts'
import { prepare } from './property.ts'
import { ask, forEach, type Request } from './server.ts'
import { emptyService, numberFrom } from './service.ts'

const SEED = numberFrom('GARBAGE_SEED', Date.now() % 1_000_000_000)
const COUNT = numberFrom('GARBAGE_COUNT', 2000)
const LONGEST_MILLISECONDS = 1000

let service: Awaited<ReturnType<typeof emptyService>>
let tables: Tables

beforeAll(async () => {
  service = await emptyService()
  tables = await prepare(service.base, 1)
}, 60_000)
afterAll(() => service?.stop())

async function timed(request: Request): Promise<{ status: number; text: string; took: number }> {
  const start = performance.now()
  const { status, body } = await ask(service.base, request)
  return { status, text: String(body).slice(0, 200), took: performance.now() - start }
}

/** What is wrong with the answers to the requests; slow ones are asked once more, alone, as machines are busy. */
async function complaints(first: number, count: number): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, index) => garbageOf(first + index, tables))
  const answers = await forEach(requests, 6, timed)
  const told: string[] = []
  for (const [index, answer] of answers.entries()) {
    const request = requests[index]!
    const slow = answer.took > LONGEST_MILLISECONDS
    const { status, text, took } = slow ? await timed(request) : answer
    const named = `#${first + index} ${request.method} ${request.path} ${JSON.stringify(request.params).slice(0, 1000)}`
    if (status >= 500) told.push(`${named}: ${status} ${text}`)
    if (took > LONGEST_MILLISECONDS) told.push(`${named}: ${took.toFixed(0)} ms`)
  }
  return told
}

describe(`garbage from number ${SEED} on`, () => {
  it(
    `is answered below 500 and within a second, all ${COUNT}`,
    async () => {
      console.info(`GARBAGE_SEED=${SEED}`)
      expect(await complaints(SEED, COUNT)).toEqual([])
    },
    60_000 + COUNT * 100,
  )

  it('is refused more often than not, but not always', async () => {
    const requests = Array.from({ length: 100 }, (_, index) => garbageOf(index, tables))
    const statuses = (await forEach(requests, 6, timed)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(30)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(5)
  })
})
