/**
 * Questions whose answers were recorded from a real PuppetDB 7.12.1 that held the same commands. The
 * set beside this test stands alone; the larger one is used where it lies beside the repository.
 */

import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ABOUT_CATALOGS, withReportEnvironment } from './catalog-environment.ts'
import type { Command } from './evaluator/report.ts'
import { OWN_FIELDS } from './documented.ts'
import { judge, type Answered } from './judge.ts'
import { ask, forEach, load, type Request } from './server.ts'
import { emptyService, HOURS, type EmptyService } from './service.ts'
import { ROOT } from '../local/local-service.ts'

const FIXTURES = join(ROOT, 'test/fixtures/conformance')
const SHARED = join(ROOT, '../shared')
const DEVIATIONS = join(ROOT, 'test/conformance/deviations.json')
const MOST_DEVIATIONS = 0.03

interface Recorded extends Request {
  readonly id: string
  readonly note: string
  readonly order: readonly string[] | null
}

const linesOf = <Line>(path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

async function serviceWith(commands: readonly Command[]): Promise<EmptyService> {
  const service = await emptyService({}, 2)
  await load(service.base, commands)
  return service
}

describe('our own recorded set', () => {
  const questions = linesOf<Recorded>(join(FIXTURES, 'queries.ndjson'))
  const answers = new Map(
    linesOf<Answered & { id: string }>(join(FIXTURES, 'answers.ndjson')).map((one) => [
      one.id,
      one,
    ]),
  )

  it('has an answer to every query, and unique ids', () => {
    expect(new Set(questions.map(({ id }) => id))).toEqual(new Set(answers.keys()))
    expect(answers.size).toBe(questions.length)
  })

  describe('is answered as PuppetDB did', () => {
    let service: EmptyService
    beforeAll(async () => {
      service = await serviceWith(linesOf<Command>(join(FIXTURES, 'commands.ndjson')))
    })
    afterAll(() => service?.stop())

    it.each(HOURS)(`all ${questions.length}, every hour %s`, async (hours) => {
      if (hours === 'closed') await service.closeHours()
      const differences = await forEach(questions, 4, async (question) => {
        const answer = await ask(service.base, question)
        const recorded = answers.get(question.id)!
        const expected = { ...recorded, body: withReportEnvironment(recorded.body) }
        const difference = judge(expected, answer, question.order)
        return difference === (ABOUT_CATALOGS[question.id] ?? null)
          ? []
          : [`${question.id}, ${question.note}: ${difference}`]
      })
      expect(differences.flat()).toEqual([])
    })
  })
})

interface Comparison {
  readonly passed: number
  readonly meant: readonly string[]
  readonly stale: readonly string[]
  readonly failures: readonly { readonly why: readonly string[] }[]
}

const hasNoAnswer = ({ why }: Comparison['failures'][number]): boolean =>
  why.some((reason) => reason.includes('no answer'))

/** Rows may have fields of ours beside PuppetDB's. */
const isOwnField = (reason: string): boolean =>
  OWN_FIELDS.has(/(\w+): not expected$/.exec(reason)?.[1] ?? '')

/** Asks a service all questions of the larger set. */
async function compare(base: string): Promise<Comparison> {
  const oracle = (name: string): string => join(SHARED, 'oracle', name)
  const folder = await mkdtemp(join(tmpdir(), 'recorded-'))
  const expected = join(folder, 'expected.ndjson')
  const lines = linesOf<Answered>(oracle('expected.ndjson')).map((one) =>
    JSON.stringify({ ...one, body: withReportEnvironment(one.body) }),
  )
  await writeFile(expected, lines.join('\n'))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      ...[oracle('compare.mjs'), '--json', '--expected', expected],
      ...['--deviations', DEVIATIONS, base, oracle('queries.ndjson')],
    ],
    { maxBuffer: 1e8 },
  ).catch((error: { stdout: string }) => error)
  await rm(folder, { recursive: true })
  const comparison = JSON.parse(stdout.split('\n')[0]!) as Comparison
  return {
    ...comparison,
    failures: comparison.failures.filter(({ why }) => !why.every(isOwnField)),
  }
}

const ORACLE = join(SHARED, 'oracle')

describe('the larger recorded set', () => {
  let service: EmptyService | null = null
  beforeAll(async () => {
    if (!existsSync(ORACLE)) return
    service = await serviceWith(linesOf<Command>(join(SHARED, 'corpus/small.ndjson')))
  })
  afterAll(() => service?.stop())

  it.for(HOURS)(
    'is answered as PuppetDB did, but for declared deviations, every hour %s',
    async (hours, context) => {
      if (service === null) return context.skip('no recordings lie beside this checkout')
      if (hours === 'closed') await service.closeHours()
      const first = await compare(service.base)
      // A connection that was reset is no answer, and says nothing of one: such questions are asked once more.
      const comparison = first.failures.some(hasNoAnswer) ? await compare(service.base) : first
      expect(comparison.failures).toEqual([])
      expect(comparison.stale).toEqual([])
      expect(comparison.meant.length).toBeLessThanOrEqual(
        (comparison.passed + comparison.meant.length) * MOST_DEVIATIONS,
      )
      const listed = Object.keys(JSON.parse(readFileSync(DEVIATIONS, 'utf8')) as object)
      expect(comparison.meant.toSorted()).toEqual(listed.toSorted())
    },
  )
})
