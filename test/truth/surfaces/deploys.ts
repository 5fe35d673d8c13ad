/** Where deploys are judged: what broke, what recovered, and whether one is done. */

import { deploysOf, deployTruth, type Deploy, type DeployTruth } from '../evaluator/deploys.ts'
import type { Question } from '../evaluator/fleet.ts'
import { versionIn } from '../evaluator/run.ts'
import type { Documents } from '../documents.ts'
import { timestamp, type Facts, type Surface } from './surface.ts'

interface DeployItem {
  readonly environment: string
  readonly code_version: string
  readonly time: string
  readonly nodes: number
  readonly broke: number
}
interface DeployAnswer {
  readonly environment: string
  readonly verdict: string
  readonly broke: number
  readonly recovered: number
  readonly first_broken: { readonly time: string } | null
  readonly curve: { readonly broke: readonly string[] }
}

const listed = async (documents: Documents): Promise<readonly DeployItem[]> =>
  (await documents.insight('deploys?limit=500')).items as readonly DeployItem[]

const nameOf = ({ environment, code_version: version }: DeployItem): string =>
  `${versionIn(version)} in ${environment}`

/** A fact of each row; of a deploy with several rows, the facts of all. */
const ofRows = (items: readonly DeployItem[], factOf: (item: DeployItem) => unknown): Facts =>
  Object.fromEntries(
    [...Map.groupBy(items, nameOf)].map(([name, rows]) => [
      name,
      rows.length === 1 ? factOf(rows[0]!) : rows.map(factOf),
    ]),
  )

/** The question about the deploys of the span, whatever its environment. */
const inSpan = (question: Question): readonly Deploy[] =>
  deploysOf(question).filter(
    ({ environment, time }) =>
      time >= question.since &&
      time < question.until &&
      (question.environment === null || environment === question.environment),
  )

const ofDeploys = (question: Question, factOf: (truth: DeployTruth) => unknown): Facts =>
  Object.fromEntries(
    inSpan(question).map((deploy) => [
      `${deploy.version} in ${deploy.environment}`,
      factOf(deployTruth({ ...question, environment: null }, deploy)),
    ]),
  )

/** The pages of all deploys. */
async function ofPages(
  documents: Documents,
  factOf: (answer: DeployAnswer) => unknown,
): Promise<Facts> {
  const facts: [string, unknown][] = []
  for (const item of await listed(documents)) {
    const { environment, code_version: version } = item
    const path = `deploys/${encodeURIComponent(environment)}/${encodeURIComponent(version)}`
    const answer = (await documents.insight(path)) as DeployAnswer
    facts.push([nameOf(item), factOf(answer)])
  }
  return Object.fromEntries(facts)
}

/** Versions are known by environment only: other readers see no deploys. */
const seesDeploys = ({ reading }: Documents): boolean => reading.reader !== 'webs'
const isOfPages = (documents: Documents): boolean =>
  documents.reading.reader === 'all' && documents.reading.environment === null

export const DEPLOY_SURFACES: readonly Surface[] = [
  {
    kind: 'one commit is one row',
    on: '/insight/v1/deploys',
    is: seesDeploys,
    shown: async (documents) => ofRows(await listed(documents), () => 1),
    truth: (question) => ofDeploys(question, () => 1),
  },
  {
    kind: 'time of a deploy',
    on: '/insight/v1/deploys',
    is: seesDeploys,
    shown: async (documents) => ofRows(await listed(documents), ({ time }) => time),
    truth: (question) => ofDeploys(question, ({ time }) => timestamp(time)),
  },
  {
    kind: 'nodes of a deploy',
    on: '/insight/v1/deploys',
    is: seesDeploys,
    shown: async (documents) => ofRows(await listed(documents), ({ nodes }) => nodes),
    truth: (question) => ofDeploys(question, ({ haveIt }) => haveIt),
  },
  {
    kind: 'broke',
    on: '/insight/v1/deploys',
    is: seesDeploys,
    shown: async (documents) => ofRows(await listed(documents), ({ broke }) => broke),
    truth: (question) => ofDeploys(question, ({ broke }) => broke),
  },
  {
    kind: 'broke',
    on: '/insight/v1/deploys/…',
    is: isOfPages,
    shown: (documents) => ofPages(documents, ({ broke }) => broke),
    truth: (question) => ofDeploys(question, ({ broke }) => broke),
  },
  {
    kind: 'recovered',
    on: '/insight/v1/deploys/…',
    is: isOfPages,
    shown: (documents) => ofPages(documents, ({ recovered }) => recovered),
    truth: (question) => ofDeploys(question, ({ recovered }) => recovered),
  },
  {
    kind: 'when nodes broke',
    on: '/insight/v1/deploys/…',
    is: isOfPages,
    shown: (documents) =>
      ofPages(documents, ({ curve, first_broken: first }) => ({
        first: first?.time ?? null,
        curve: curve.broke,
      })),
    truth: (question) =>
      ofDeploys(question, ({ brokeAt }) => ({
        first: timestamp(brokeAt[0] ?? null),
        curve: brokeAt.map(timestamp),
      })),
  },
  {
    kind: 'nothing broke',
    on: '/insight/v1/deploys/…',
    is: isOfPages,
    // The verdict may say less, but not more.
    shown: async (documents) => ofPages(documents, ({ verdict }) => verdict === 'done'),
    truth: async (question, documents) => {
      const said = await ofPages(documents, ({ verdict }) => verdict === 'done')
      const truth = ofDeploys(question, ({ done }) => done)
      return Object.fromEntries(
        Object.entries(said).map(([name, isDone]) => [
          name,
          isDone === true && truth[name] === true,
        ]),
      )
    },
  },
]
