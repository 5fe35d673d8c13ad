/**
 * Garbage of every kind: whatever comes in, nothing breaks, and what is stored is whole.
 * GARBAGE_SEED=<number> GARBAGE_COUNT=1 sends one again. With GARBAGE_COUNT, which is by hand, time
 * and memory are judged too: nobody waits for more than a second until an answer begins or goes on, and
 * the same questions, asked again and again of what is stored by then, take no more memory than at first. While the garbage
 * is stored, memory grows with it: a listing of all that it has left is as long as that, and six are asked for at a time.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tablesOf, type Tables } from '../evaluator/tables.ts'
import { judge } from '../judge.ts'
import { prepare } from '../property.ts'
import { ask, forEach, load } from '../server.ts'
import { countFrom, emptyService, HOURS, numberFrom, type EmptyService } from '../service.ts'
import { garbageOf, nameOf, sendGarbage } from './garbage.ts'
import { residentMegabytes } from './memory.ts'
import { disguised } from './reports.ts'
import type { Outcome } from './wire.ts'

const SEED = numberFrom('GARBAGE_SEED', Date.now() % 1_000_000_000)
const COUNT = countFrom('GARBAGE_COUNT', 2000)
const BY_HAND = process.env['GARBAGE_COUNT'] !== undefined
const LONGEST_SILENCE_MS = 1000
const AT_ONCE = 6
const STEP = 10_000
/** Times that the same questions are asked, and how many: a leak of 10 KB a question is a quarter of the service's memory. */
const ROUNDS = 6
const QUESTIONS = 3000

let service: EmptyService
let tables: Tables

beforeAll(async () => {
  service = await emptyService()
  tables = await prepare(service.base, 1)
})
afterAll(() => service?.stop())

/** What is wrong with the answer to the request of that number, or nothing; a slow one is asked again, as machines are busy. */
async function complaint(seed: number): Promise<string | null> {
  const garbage = garbageOf(seed, tables)
  const isSlow = ({ silence }: Outcome): boolean => BY_HAND && silence > LONGEST_SILENCE_MS
  let outcome = await sendGarbage(service.base, garbage)
  for (let again = 0; isSlow(outcome) && again < 3; again++) {
    outcome = await sendGarbage(service.base, garbage)
  }
  const { status, text, silence } = outcome
  if (status < 500 && !isSlow(outcome)) return null
  return `#${seed} ${nameOf(garbage)}: ${status} ${text.slice(0, 200)}, silent for ${silence.toFixed(0)} ms`
}

/** What of a report that had to be taken is not as it was sent. */
async function differenceOf(seed: number): Promise<string | null> {
  const command = disguised(seed)
  await load(service.base, [command])
  const path = '/query/v4/reports'
  const params = { query: ['=', 'certname', command.certname] }
  const answer = await ask(service.base, { method: 'POST', path, params })
  const [row] = answer.body as { receive_time: string }[]
  const { reports } = tablesOf([command], {
    report: () => row?.receive_time ?? '',
    latest: () => '',
  })
  const shown = reports.map(({ 'latest_report?': _, ...row }) => row)
  const want = { status: 200, type: 'application/json', records: null, body: shown }
  const difference = judge(want, answer, null, { exact: true })
  return difference === null ? null : `#${seed}: ${difference}`
}

describe.each(HOURS)(`garbage from number ${SEED} on, every hour %s before`, (hours) => {
  const half = Math.ceil(COUNT / 2)
  const [first, count] = hours === 'open' ? [SEED, half] : [SEED + half, COUNT - half]

  beforeAll(async () => {
    if (hours === 'closed') await service.closeHours()
  })

  it(
    `is answered below 500${BY_HAND ? ' and never silent for a second' : ''}, all ${count}`,
    async () => {
      console.info(`GARBAGE_SEED=${SEED}`)
      const complaints: string[] = []
      for (let done = 0; done < count; done += STEP) {
        const step = Math.min(STEP, count - done)
        const seeds = Array.from({ length: step }, (_, index) => first + done + index)
        complaints.push(...(await forEach(seeds, AT_ONCE, complaint)).filter((one) => one !== null))
        if (!BY_HAND) continue
        const [total, size] = [Math.min(count, done + STEP), await residentMegabytes()]
        console.info(`${total} sent, ${size} MB, ${complaints.length} complaints`)
      }
      expect(complaints).toEqual([])
    },
    60_000 + count * 100,
  )

  it.runIf(BY_HAND)(
    'leaves a service that takes no more memory for the same questions',
    async () => {
      const questions = Array.from({ length: QUESTIONS }, (_, index) =>
        garbageOf(first + index, tables),
      ).filter((garbage) => typeof garbage === 'string' || !garbage.path.startsWith('/cmd/'))
      const sizes: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        await forEach(questions, AT_ONCE, (garbage) => sendGarbage(service.base, garbage))
        sizes.push(await residentMegabytes())
        console.info(`round ${round + 1}: ${sizes.at(-1)} MB`)
      }
      expect(sizes.at(-1)).toBeLessThan(Math.max(...sizes.slice(0, 2)) * 1.25)
    },
    1_800_000,
  )

  it('leaves a store that accepts hostile values and returns them unchanged', async () => {
    const seeds = Array.from(
      { length: Math.min(count, 500) / 10 },
      (_, index) => first + COUNT + index,
    )
    const differences = await forEach(seeds, AT_ONCE, differenceOf)
    expect(differences.filter((difference) => difference !== null)).toEqual([])
  })

  it('leaves counts that agree with lists', async () => {
    const rows = async (path: string, query: unknown): Promise<Record<string, number>[]> => {
      const params = { query: query as string[] }
      const { status, body } = await ask(service.base, { method: 'POST', path, params })
      expect(status).toBe(200)
      return body as unknown as Record<string, number>[]
    }
    const count = [['function', 'count']]
    const anyType = ['=', 'type', 'any']
    const reports = await rows('/query/v4/reports', ['extract', ['hash', 'certname'], anyType])
    expect(new Set(reports.map(({ hash }) => hash)).size).toBe(reports.length)
    expect(await rows('/query/v4/reports', ['extract', count, anyType])).toEqual([
      { count: reports.length },
    ])
    const events = await rows('/query/v4/events', ['extract', ['status']])
    expect(await rows('/query/v4/events', ['extract', count])).toEqual([{ count: events.length }])
  })

  it('is refused more often than not, but not always', async () => {
    const requests = Array.from({ length: 200 }, (_, index) => garbageOf(index, tables))
    const answers = await forEach(requests, AT_ONCE, (one) => sendGarbage(service.base, one))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(60)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(10)
  })
})
