/** Where causes are named: how many fail by them, since when, and what began them. */

import {
  causeInSpan,
  driftInSpan,
  failingCauses,
  firstDriftOf,
  firstSeenOf,
  isNewCause,
  openCauses,
  sinceOf,
} from '../evaluator/causes.ts'
import { beganWith } from '../evaluator/deploys.ts'
import { runsInSpan, type Question } from '../evaluator/fleet.ts'
import { versionIn } from '../evaluator/run.ts'
import type { Documents } from '../documents.ts'
import { causeOfMessage } from '../stories/failures.ts'
import { isWhole, one, timestamp, type Facts, type Surface } from './surface.ts'

interface CauseItem {
  /** Its id, and the cause of the story that it is. */
  readonly cause: string
  readonly name: string
  readonly reason: string
  readonly sample: string | null
  readonly failing: number
  readonly nodes: number
  readonly reports: number
  readonly since: string | null
  readonly first_seen: string
  readonly new: boolean
}

async function listed(documents: Documents): Promise<readonly CauseItem[]> {
  const { items } = (await documents.insight('causes?limit=500')) as { items: CauseItem[] }
  return items.map((item) => ({ ...item, name: causeOfMessage(item.sample ?? '') ?? item.reason }))
}

/** Facts of each cause that fails nodes now. */
const ofFailing = (items: readonly CauseItem[], factOf: (item: CauseItem) => unknown): Facts =>
  Object.fromEntries(
    items.filter(({ failing }) => failing > 0).map((item) => [item.name, factOf(item)]),
  )
const truthOfFailing = (question: Question, factOf: (cause: string) => unknown): Facts =>
  Object.fromEntries([...failingCauses(question).keys()].map((cause) => [cause, factOf(cause)]))

/** Facts of each cause that is in the list: it fails nodes now, or did in the span. */
const ofListed = (question: Question, factOf: (cause: string) => unknown): Facts => {
  const inSpan = runsInSpan(question).flatMap(({ causes }) => causes)
  const causes = new Set([...inSpan, ...failingCauses(question).keys()])
  return Object.fromEntries([...causes].map((cause) => [cause, factOf(cause)]))
}

interface IncidentAnswer {
  readonly incident: {
    readonly sentence: string
    readonly cause: string | null
    readonly failing: number
    readonly since: string | null
    readonly deploy: { readonly code_version: string; readonly environment: string } | null
  } | null
}
/** The cause that the incident is about. */
async function causeOfIncident(documents: Documents): Promise<string | null> {
  const incident = await incidentOf(documents)
  const causes = await listed(documents)
  return causes.find(({ cause }) => cause === incident?.cause)?.name ?? null
}

const incidentOf = async (documents: Documents): Promise<IncidentAnswer['incident']> =>
  ((await documents.insight('incident')) as IncidentAnswer).incident

/** The open cause by which most nodes fail; the first of the answer where several have as many. */
async function largest(question: Question, documents: Documents): Promise<string | null> {
  const failing = failingCauses(question)
  const open = openCauses(question).map((cause) => [cause, failing.get(cause)!.length] as const)
  const most = Math.max(...open.map(([, nodes]) => nodes))
  const first = open.filter(([, nodes]) => nodes === most).map(([cause]) => cause)
  const named = await causeOfIncident(documents)
  return first.find((cause) => cause === named) ?? first[0] ?? null
}

/** The numbers of nodes that fail, in the order in which a tool lists causes. */
const numbersOf = (text: string): readonly number[] =>
  [...text.matchAll(/^- \{"cause".*"failing":(\d+)/gm)].map(([, failing]) => Number(failing))

export const CAUSE_SURFACES: readonly Surface[] = [
  {
    kind: 'failing by cause',
    on: '/insight/v1/causes',
    shown: async (documents) => ofFailing(await listed(documents), ({ failing }) => failing),
    truth: (question) =>
      truthOfFailing(question, (cause) => failingCauses(question).get(cause)!.length),
  },
  {
    kind: 'failing by cause',
    on: '/metrics',
    is: isWhole,
    shown: async (documents) => {
      const text = await documents.text('/metrics')
      const count = (value: boolean): number =>
        Number(new RegExp(`puppet_failing_causes{acknowledged="${value}"} (\\d+)`).exec(text)?.[1])
      return { open: count(false), acknowledged: count(true) }
    },
    truth: (question) => {
      const open = openCauses(question).length
      return { open, acknowledged: failingCauses(question).size - open }
    },
  },
  {
    kind: 'runs with a cause',
    on: '/insight/v1/causes',
    shown: async (documents) =>
      Object.fromEntries(
        (await listed(documents)).map(({ name, nodes, reports }) => [
          name,
          { runs: reports, nodes },
        ]),
      ),
    truth: (question) => ofListed(question, (cause) => causeInSpan(question, cause)),
  },
  {
    kind: 'since of a cause',
    on: '/insight/v1/causes',
    shown: async (documents) => ofFailing(await listed(documents), ({ since }) => since),
    truth: (question) => truthOfFailing(question, (cause) => timestamp(sinceOf(question, cause))),
  },
  {
    kind: 'first seen of a cause',
    on: '/insight/v1/causes',
    shown: async (documents) =>
      Object.fromEntries(
        (await listed(documents)).map(({ name, first_seen }) => [name, first_seen]),
      ),
    truth: (question) => ofListed(question, (cause) => timestamp(firstSeenOf(question, cause))),
  },
  {
    kind: 'new cause',
    on: '/insight/v1/causes',
    shown: async (documents) =>
      Object.fromEntries((await listed(documents)).map((item) => [item.name, item.new])),
    truth: (question) => ofListed(question, (cause) => isNewCause(question, cause)),
  },
  {
    kind: 'first seen of drift',
    on: '/insight/v1/causes?kind=corrective',
    shown: async (documents) => {
      const { items } = (await documents.insight('causes?kind=corrective&by=resource')) as {
        items: readonly CauseItem[]
      }
      return Object.fromEntries(items.map(({ reason, first_seen }) => [reason, first_seen]))
    },
    truth: (question, documents) =>
      Object.fromEntries(
        driftInSpan(question).map((resource) => [
          resource,
          // Drift is remembered by environment: readers who see some nodes only are not told.
          documents.reading.reader === 'webs' ? null : timestamp(firstDriftOf(question, resource)),
        ]),
      ),
  },
  {
    kind: 'incident',
    on: '/insight/v1/incident',
    shown: async (documents) => {
      const incident = await incidentOf(documents)
      return { cause: await causeOfIncident(documents), failing: incident?.failing ?? 0 }
    },
    truth: async (question, documents) => {
      const cause = await largest(question, documents)
      return {
        cause,
        failing: cause === null ? 0 : failingCauses(question).get(cause)!.length,
      }
    },
  },
  {
    kind: 'since of the incident',
    on: '/insight/v1/incident',
    shown: async (documents) => one((await incidentOf(documents))?.since ?? null),
    truth: async (question, documents) => {
      const cause = await largest(question, documents)
      return one(cause === null ? null : timestamp(sinceOf(question, cause)))
    },
  },
  {
    kind: 'began with',
    on: '/insight/v1/incident',
    // Versions are known by environment only.
    is: ({ reading }) => reading.reader !== 'webs',
    shown: async (documents) => {
      const deploy = (await incidentOf(documents))?.deploy ?? null
      return one(
        deploy === null ? null : `${versionIn(deploy.code_version)} in ${deploy.environment}`,
      )
    },
    truth: async (question, documents) => {
      const cause = await largest(question, documents)
      const deploy = cause === null ? null : beganWith(question, cause)
      return one(deploy === null ? null : `${deploy.version} in ${deploy.environment}`)
    },
  },
  {
    kind: 'sentence',
    on: 'fleet_status',
    shown: async (documents) => {
      const text = await documents.tool('fleet_status')
      const said = /^incident: \{"sentence":("(?:[^"\\]|\\.)*")/m.exec(text)?.[1] ?? 'null'
      return one(JSON.parse(said) as string | null)
    },
    truth: async (_question, documents) => one((await incidentOf(documents))?.sentence ?? null),
  },
  {
    kind: 'order of causes',
    on: 'what_is_failing',
    shown: async (documents) => {
      const numbers = numbersOf(await documents.tool('what_is_failing'))
      return one(numbers)
    },
    // Open ones come before acknowledged ones.
    truth: (question) => {
      const failing = failingCauses(question)
      const inSpan = Object.keys(ofListed(question, () => null))
      const numbers = inSpan.map((cause) => ({
        nodes: failing.get(cause)?.length ?? 0,
        isHeld: failing.has(cause) && question.acknowledged.has(cause),
      }))
      return one(
        numbers
          .toSorted(
            (first, second) =>
              Number(first.nodes === 0) - Number(second.nodes === 0) ||
              Number(first.isHeld) - Number(second.isHeld) ||
              second.nodes - first.nodes,
          )
          .map(({ nodes }) => nodes),
      )
    },
  },
]
