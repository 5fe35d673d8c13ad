/**
 * Stories: what the service asserts of them on every surface is what a second implementation finds in the raw reports.
 * `STORIES=1000` tells so many random ones, `STORY=17` only that one. What is known to be wrong is in `known.ts`.
 */

import { env } from 'cloudflare:workers'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { documentsOf, type Reading } from './documents.ts'
import { failingCauses, openCauses } from './evaluator/causes.ts'
import { beganWith, deploysOf, deployTruth } from './evaluator/deploys.ts'
import { nodesOf } from './evaluator/fleet.ts'
import { clockOffOf, groupSilences, isCalm, silentNodes } from './evaluator/silence.ts'
import { KNOWN } from './known.ts'
import { questionOf } from './question.ts'
import { storeSite, type StoredSite } from './stored-site.ts'
import { NAMED_STORIES, type NamedStory } from './stories/named.ts'
import { randomSite } from './stories/random-site.ts'
import { check, type Checked } from './surfaces/surface.ts'
import { SURFACES } from './surfaces/surfaces.ts'

afterAll(() => void vi.useRealTimers())

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

const counts = new Map<string, { checked: number; wrong: number }>()

/** Counts what was checked, and returns in words what is wrong and not known to be. */
function unknownAmong(
  story: string,
  reading: Reading,
  checked: readonly Checked[],
  isKnown = (kind: string): boolean => kind in KNOWN,
): readonly string[] {
  for (const { kind, agrees } of checked) {
    const { checked: all, wrong } = counts.get(kind) ?? { checked: 0, wrong: 0 }
    counts.set(kind, { checked: all + 1, wrong: wrong + Number(!agrees) })
  }
  return checked
    .filter(({ agrees, kind }) => !agrees && !isKnown(kind))
    .map((one) => textOf(story, reading, one))
}

describe('what is asserted where', () => {
  it.each(NAMED_STORIES)('$title', async ({ title, site: plan, truth }) => {
    const site = await storeSite({ title, ...plan }, 1)
    expect(truthOf(site)).toMatchObject(truth)
    expect(unknownAmong(title, EVERYTHING, await checkAll(site, EVERYTHING))).toEqual([])
  })
})

const { STORIES, STORY } = env as unknown as Readonly<Record<'STORIES' | 'STORY', string>>
const seeds =
  STORY === '' ? Array.from({ length: Number(STORIES) }, (_, index) => index + 1) : [Number(STORY)]

describe(`random stories, ${seeds.length}`, () => {
  it.each(seeds)('story %i', async (seed) => {
    const site = await storeSite(randomSite(seed), seed)
    const wrong: string[] = []
    const others = seed % 2 === 0 ? [] : [OTHERS[((seed - 1) / 2) % OTHERS.length]!]
    for (const reading of [EVERYTHING, ...others]) {
      const isKnown = (kind: string): boolean => STORY === '' && kind in KNOWN
      const checked = await checkAll(site, reading)
      wrong.push(...unknownAmong(`story ${seed}`, reading, checked, isKnown))
    }
    expect(wrong).toEqual([])
  })

  it.skipIf(STORY !== '')('are wrong in the known kinds only, and in all of them', () => {
    const wrong = [...counts].filter(([, count]) => count.wrong > 0)
    console.info(wrong.map(([kind, one]) => `${kind}: ${one.wrong} of ${one.checked}`).join('\n'))
    expect(wrong.map(([kind]) => kind).sort()).toEqual(Object.keys(KNOWN).sort())
  })
})
