/** What the statements of insights are asked through, and the fragments that most of them share. */

import { sql, type SQL } from 'drizzle-orm'
import { SLOTS } from '../schema/key.ts'
import { STRING_KINDS, type StringKind } from '../schema/tables.ts'

/** A scope with its conditions compiled. Times in ms. */
export interface View {
  readonly since: number
  readonly until: number
  readonly now: number
  readonly silentAfter: number
  readonly environment: string | null
  /** On rows called `reports`: environment, filter and row policy together, agents' reports only. */
  readonly where: SQL
  /** Whether the condition asks nothing but certname and environment, which the rows of nodes hold too. */
  readonly ofNodes: boolean
  /** Whether it asks nothing but what hours are counted by. */
  readonly ofHours: boolean
  /** Whether a row policy hides reports from the reader; `rowPolicy` is the condition that visible reports meet. */
  readonly restricted: boolean
  readonly rowPolicy: SQL
}

/** A whole number as SQL text: parameters are bound as REAL. */
export const whole = (value: number): SQL => sql.raw(String(Math.trunc(value)))

/** The key that reports from that time on have, in ms. */
export const keyFrom = (milliseconds: number): SQL => whole(Math.ceil(milliseconds) * SLOTS)

/** Keys of the view's span. */
export const inSpan = (key: SQL, { since, until }: View): SQL =>
  sql`${key} >= ${keyFrom(since)} and ${key} < ${keyFrom(until)}`

/** The text of a word; null where there is none. */
export const wordOf = (id: SQL): SQL =>
  sql`(select word.value from strings word where word.id = ${id})`

/** The id of a word, for comparing; null where nobody ever said it. */
export const idOfWord = (kind: StringKind, value: string): SQL =>
  sql`(select word.id from strings word where word.kind = ${whole(STRING_KINDS[kind])} and word.value = ${value})`

/**
 * Active nodes as rows called `reports`, so that a condition on reports asks their latest ones: the
 * columns of nodes beside those of the report. Nodes that never reported are there where the
 * condition needs no more than a node has.
 */
export const nodesOf = ({ ofNodes }: Pick<View, 'ofNodes'>): SQL =>
  ofNodes
    ? sql`(select n.id as node, n.certname, n.latest, n.latest as id, n.state, n.environment, n.good, n.runs, 0 as type
        from nodes n where ${ACTIVE}) as reports`
    : sql`(select n.certname, n.latest, n.good, n.runs, r.*
        from nodes n join reports r on r.id = n.latest where ${ACTIVE}) as reports`

/** Of a row of nodes called `n`. */
export const ACTIVE = sql.raw('n.deactivated is null and n.expired is null')

/** The ids of nodes that are inactive, which an index holds. */
export const INACTIVE = sql.raw(
  '(select n.id from nodes n where n.deactivated is not null or n.expired is not null)',
)
