/**
 * Numbers of days outlive their runs: trends and the stretches of causes are what the evaluator finds in every run that was ever
 * sent, while retention deletes them step by step and a node is deleted.
 */

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { runHousekeeping } from '../../worker/housekeeping/housekeeping.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { Database } from '../../worker/store/database.ts'
import { Draw } from '../conformance/random/draw.ts'
import { wrongIn } from '../soundness.ts'
import { countRows, request } from '../worker/client.ts'
import { documentsOf, type Reading } from './documents.ts'
import { dayStretchesOf, numbersOfDay } from './evaluator/days.ts'
import { HOUR, visibleEver } from './evaluator/fleet.ts'
import { questionOf } from './question.ts'
import { storeSite, type StoredSite } from './stored-site.ts'
import { causeOfMessage } from './stories/failures.ts'
import { NOW } from './stories/site.ts'
import { randomSite } from './stories/random-site.ts'

const READINGS: readonly Reading[] = [
  { reader: 'all', since: '7d', environment: null },
  { reader: 'all', since: '7d', environment: 'production' },
  { reader: 'staging', since: '7d', environment: null },
]

interface Trends {
  readonly runs: number
  readonly failed: number
  readonly known_since: string | null
  readonly buckets: readonly {
    readonly start: string
    readonly runs: number | null
    readonly failed: number | null
  }[]
}
interface Cause {
  readonly id: string
  /** By the evaluator. */
  readonly name: string
}
interface CausePage {
  readonly stretches_since: string | null
  readonly stretches: readonly {
    readonly since: string
    readonly until: string
    readonly runs: number
  }[]
}

/** Runs of a clock that was ahead are of another hour while their hour is counted. */
const wasAhead = ({ producer, received }: { producer: number; received: number }): boolean =>
  producer > received

/** How many numbers of days and stretches it found to be right. */
async function expectNumbers(site: StoredSite, causes: readonly Cause[]): Promise<number> {
  let numbers = 0
  for (const reading of READINGS) {
    const documents = documentsOf(reading)
    const question = questionOf(site, reading)
    const { buckets, known_since, ...sums } = (await documents.insight('trends')) as Trends
    const truth = buckets.map(({ start }) => ({
      start,
      ...numbersOfDay(question, Date.parse(start)),
    }))
    expect(buckets.map(({ start, runs, failed }) => ({ start, runs, failed }))).toEqual(truth)
    expect([sums.runs, sums.failed, known_since]).toEqual([
      truth.reduce((sum, { runs }) => sum + runs, 0),
      truth.reduce((sum, { failed }) => sum + failed, 0),
      null,
    ])
    numbers += truth.length
    const seen = new Set(visibleEver(question).flatMap((run) => run.causes))
    for (const { id, name } of causes) {
      if (!seen.has(name)) continue
      const runs = visibleEver(question).filter((run) => run.causes.includes(name))
      if (runs.some(wasAhead)) continue
      const page = await pageOf(documents, id, reading)
      if (page === null) continue
      expect([page.stretches, page.stretches_since]).toMatchObject([
        dayStretchesOf(question, name).map(({ since, until, runs }) => ({
          since: new Date(since).toISOString(),
          until: new Date(until).toISOString(),
          runs,
        })),
        null,
      ])
      numbers += page.stretches.length
    }
  }
  return numbers
}

/** Null where a reader of some environments sees no stored run with the cause: the others' reason is not for them. */
const pageOf = (
  documents: ReturnType<typeof documentsOf>,
  id: string,
  { reader }: Reading,
): Promise<CausePage | null> =>
  documents.insight(`causes/${id}`).then(
    (page) => page as CausePage,
    (error: Error) => {
      if (reader === 'all' || !/: 404$/.test(error.message)) throw error
      return null
    },
  )

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1)

describe('numbers of days, while their runs are deleted', () => {
  it.each(SEEDS)('story %i', async (seed) => {
    const draw = new Draw(seed)
    const site = await storeSite(randomSite(seed), seed)
    const { items } = await documentsOf(READINGS[0]!).insight('causes?limit=500')
    const causes = (items as readonly { cause: string; sample: string }[]).map(
      ({ cause, sample }) => ({ id: cause, name: causeOfMessage(sample) ?? '' }),
    )
    const stored = await countRows('reports')
    let numbers = await expectNumbers(site, causes)
    for (const hours of [draw.between(40, 60), draw.between(16, 36), draw.between(2, 12)]) {
      const settings = { ...readSettings(env), REPORT_TTL: hours * HOUR }
      await runHousekeeping(Database.primary(env.DB), settings, NOW)
      numbers += await expectNumbers(site, causes)
    }
    const { certname } = draw.pick(site.plan.nodes)
    const response = await request('/pdb/admin/v1/cmd', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ command: 'delete', version: 1, payload: { certname } }),
    })
    expect(response.status).toBe(200)
    numbers += await expectNumbers(site, causes)
    expect(await countRows('reports')).toBeLessThan(stored)
    expect(numbers).toBeGreaterThan(5 * 3 * 7)
    expect(await wrongIn(env.DB)).toEqual({})
  })
})
