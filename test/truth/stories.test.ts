/**
 * Stories: what the service asserts of them on every surface is what a second implementation finds in the raw reports.
 * `STORIES=1000` tells so many random ones, `STORIES=17-17` only that one, `STORIES=3-900/3` every third of those.
 */

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { documentsOf, type Reading } from './documents.ts'
import { failingCauses, openCauses } from './evaluator/causes.ts'
import { beganWith, deploysOf, deployTruth } from './evaluator/deploys.ts'
import { nodesOf } from './evaluator/fleet.ts'
import { clockOffOf, groupSilences, isCalm, silentNodes } from './evaluator/silence.ts'
import { questionOf } from './question.ts'
import { storeSite, type StoredSite } from './stored-site.ts'
import { DOUBTFUL_STORIES } from './stories/doubtful.ts'
import type { NamedStory } from './stories/named-story.ts'
import { NAMED_STORIES } from './stories/named.ts'
import { randomSite } from './stories/random-site.ts'
import { check, type Checked } from './surfaces/surface.ts'
import { SURFACES } from './surfaces/surfaces.ts'

const EVERYTHING: Reading = { reader: 'all', since: '24h', environment: null }

/** Every other story is read in one of these ways too. */
const OTHERS: readonly Reading[] = [
  { reader: 'webs', since: '24h', environment: null },
  { reader: 'all', since: '7d', environment: 'production' },
  { reader: 'staging', since: '7d', environment: null },
  { reader: 'all', since: '6h', environment: null },
]

async function checkAll(site: StoredSite, reading: Reading): Promise<readonly Checked[]> {
  const documents = documentsOf(reading)
  const question = questionOf(site, reading)
  const checked: Checked[] = []
  for (const surface of SURFACES) checked.push(...(await check(surface, documents, question)))
  return checked
}

const textOf = (story: string, { reader, since, environment }: Reading, one: Checked): string =>
  `${story}, ${reader} ${since} ${environment ?? ''}: ${one.kind} on ${one.on} ${one.about}: ${JSON.stringify(one.shown)} instead of ${JSON.stringify(one.truth)}`

/** Facts of the evaluator about a named story. */
function truthOf(site: StoredSite): Required<NamedStory['truth']> {
  const question = questionOf(site, EVERYTHING)
  const [cause] = failingCauses(question).keys()
  const version = cause === undefined ? undefined : beganWith(question, cause)?.version
  return {
    silent: silentNodes(question).length,
    groups: groupSilences(question).map(
      ({ group, silent, nodes }) => `${group}: ${silent} of ${nodes}`,
    ),
    calm: isCalm(question),
    open: openCauses(question).length,
    broke: Object.fromEntries(
      deploysOf(question).map((deploy) => {
        const { broke, recovered } = deployTruth(question, deploy)
        return [deploy.version, [broke, recovered]]
      }),
    ),
    began: version ?? null,
    clocks: nodesOf(question).filter((node) => clockOffOf(node) !== null).length,
  }
}

/** In words, what is wrong. */
const wrongAmong = (story: string, reading: Reading, checked: readonly Checked[]): string[] =>
  checked.filter(({ agrees }) => !agrees).map((one) => textOf(story, reading, one))

describe('what is asserted where', () => {
  it.each([...NAMED_STORIES, ...DOUBTFUL_STORIES])(
    '$title',
    async ({ title, site: plan, truth }) => {
      const site = await storeSite({ title, ...plan }, 1)
      expect(truthOf(site)).toMatchObject(truth)
      expect(wrongAmong(title, EVERYTHING, await checkAll(site, EVERYTHING))).toEqual([])
    },
  )
})

const { STORIES } = env as unknown as Readonly<Record<'STORIES', string>>
const [, first, last, step = '1'] = /^(?:(\d+)-)?(\d+)(?:\/(\d+))?$/.exec(STORIES)!
const [from, to] = [Number(first ?? 1), Number(last)]
const seeds = Array.from(
  { length: Math.floor((to - from) / Number(step)) + 1 },
  (_, index) => from + index * Number(step),
)

/** Stories by which a difference was found. */
const FOUND = [276, 589, 717]

describe(`random stories ${STORIES}, and those that found a difference`, () => {
  it.each([...new Set([...seeds, ...FOUND])])('story %i', async (seed) => {
    const site = await storeSite(randomSite(seed), seed)
    const wrong: string[] = []
    const others = seed % 2 === 0 ? [] : [OTHERS[((seed - 1) / 2) % OTHERS.length]!]
    for (const reading of [EVERYTHING, ...others])
      wrong.push(...wrongAmong(`story ${seed}`, reading, await checkAll(site, reading)))
    expect(wrong).toEqual([])
  })
})
