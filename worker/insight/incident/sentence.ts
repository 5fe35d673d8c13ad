/** Words the facts of an incident as one sentence, in pieces: pages give each its look, the API joins them. */

import { short } from '../../lib/code-version.ts'
import { DAY, type Timestamp } from '../../lib/time.ts'

export interface IncidentFacts {
  /** Names the cause in an address. */
  readonly cause: string
  readonly reason: string
  readonly resource: string | null
  /** Nodes whose latest run fails by the cause. */
  readonly failing: number
  /** All nodes among which they are counted. */
  readonly nodes: number
  /** The first failing run of the stretch through which nodes fail by the cause; null where that is not known. */
  readonly since: Timestamp | null
  /** The code that the cause began with, and when the environment got it; null where there is none. */
  readonly deploy: {
    readonly code_version: string
    readonly environment: string
    readonly time: Timestamp
  } | null
  /** The nodes that have most of it; null where it is spread over groups. */
  readonly group: IncidentGroup | null
}

export interface IncidentGroup {
  readonly name: string
  /** Nodes of the group that ran since the environment got the code. */
  readonly ran: number
  /** Nodes of them that fail. */
  readonly failing: number
  /** Nodes of the group that report and will run that code next. */
  readonly waiting: number
  /** Minutes until the first of them is due, by its usual interval; null where that can't be told. */
  readonly next_minutes: number | null
}

/** A `time` has a timestamp as its text, and `code` a code version. */
export interface SentencePiece {
  readonly kind: 'text' | 'time' | 'code' | 'strong' | 'reason'
  readonly text: string
}

/** Longest reason, in characters: the sentence stays within two lines of a page. */
const LONGEST_REASON = 160

/** @param says `no reason` where a heading above the sentence says it */
export function incidentPieces(
  facts: IncidentFacts,
  says: 'all' | 'no reason' = 'all',
): readonly SentencePiece[] {
  const reason = firstLine(facts.reason)
  const hasReason = says !== 'no reason'
  return [
    ...sinceOf(facts),
    ...nodesOf(facts),
    // A reason such as "Exec[db-migrate] returned 1" names the resource itself.
    ...(facts.resource === null || reason.startsWith(facts.resource)
      ? []
      : [text(' at '), strong(facts.resource)]),
    ...(hasReason ? [text(': '), { kind: 'reason', text: reason } as const] : []),
    text(`${hasReason ? stopAfter(reason) : '.'}${groupPart(facts)}`),
  ]
}

/** The full stop of a sentence that ends with a reason, which may have one. */
export const stopAfter = (reason: string): string => (/[.!?…]["'”’]?$/.test(reason) ? '' : '.')

/** Plain text. Times are UTC, with their day where it is not that of `now`, in ms. */
export const incidentText = (facts: IncidentFacts, now: number): string =>
  incidentPieces(facts)
    .map(({ kind, text }) =>
      kind === 'time' ? `${clockOf(text, now)} UTC` : kind === 'code' ? short(text) : text,
    )
    .join('')

const text = (words: string): SentencePiece => ({ kind: 'text', text: words })
const strong = (words: string): SentencePiece => ({ kind: 'strong', text: words })

function sinceOf({ since, deploy }: IncidentFacts): readonly SentencePiece[] {
  if (since === null) return []
  const begin = [text('Since '), { kind: 'time', text: since }] as const
  return deploy === null
    ? [...begin, text(', ')]
    : [
        ...begin,
        text(', after '),
        { kind: 'code', text: deploy.code_version },
        text(` reached ${deploy.environment}, `),
      ]
}

/** `136 of 400 nodes`, `all 300 nodes`. */
function nodesOf({ failing, nodes }: IncidentFacts): readonly SentencePiece[] {
  const count =
    nodes < 2
      ? `${number(failing)} ${nouns(failing)}`
      : failing === nodes
        ? `all ${number(nodes)} nodes`
        : `${number(failing)} of ${number(nodes)} nodes`
  return [strong(count), text(failing === 1 ? ' fails' : ' fail')]
}

/** What they have in common, and what comes next. */
function groupPart({ group, failing }: IncidentFacts): string {
  if (group === null) return ''
  const { name, ran, waiting } = group
  const share =
    group.failing === ran ? `all ${number(ran)}` : `${number(group.failing)} of the ${number(ran)}`
  const next =
    waiting === 0
      ? ''
      : `; ${number(waiting)} more ${waiting === 1 ? 'has' : 'have'} not run it yet${dueIn(group)}`
  return ` They ${group.failing === failing ? 'are' : 'include'} ${share} ${name} nodes that ran it${next}.`
}

const dueIn = ({ waiting, next_minutes }: IncidentGroup): string =>
  next_minutes === null
    ? ''
    : `, and ${waiting === 1 ? 'is' : 'the next is'} due within ${next_minutes === 1 ? 'a minute' : `${next_minutes} minutes`}`

const nouns = (count: number): string => (count === 1 ? 'node' : 'nodes')
const number = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

function firstLine(reason: string): string {
  const line = reason.trim().split('\n', 1)[0]!.trim()
  return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON - 1)}…` : line
}

const clockOf = (timestamp: string, now: number): string =>
  Math.floor(Date.parse(timestamp) / DAY) === Math.floor(now / DAY)
    ? timestamp.slice(11, 16)
    : timestamp.slice(0, 16).replace('T', ' ')
