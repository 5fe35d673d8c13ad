/** The result of checking a page: how many rows were read, and which invariants they break. Rules in SQL select the rows that break them. */

import type { History } from '../history/history.ts'
import { text, typed } from '../sql/columns.ts'
import type { Parameter } from '../sql/statement.ts'
import { batchRead, listRead, type BatchRead } from '../store/batch-read.ts'

/** What is wrong where: number of an hour or a day since 1970, path of a part's file of `reports`, id of a node, or name of an index. */
export interface Subject {
  readonly kind: 'hour' | 'day' | 'part' | 'node' | 'index'
  readonly id: number | string
}

export interface Problem {
  /** The broken rule, as a sentence that should be true. */
  readonly invariant: string
  /** The row that breaks it, so that an operator can find it. */
  readonly where: string
  /** What can be computed again; absent where nothing can. */
  readonly mends?: Subject
  /** What to do, where it isn't what all problems of its kind need. */
  readonly remedy?: string
}

/** The result of one page. */
export interface CheckedPage {
  readonly checked: number
  readonly problems: readonly Problem[]
  /** The position after the page, a whole number; null at the end. */
  readonly next: number | null
}

/** What a start of a self-hosted service found lost with the log of its database. */
export interface LostLog {
  /** When the launcher found it, in ms. */
  readonly found: number
  readonly where: string
  readonly remedy: string
}

export interface CheckOptions {
  /** The history whose files are compared; null for none. */
  readonly history: History | null
  /** What the launcher found lost; null for nothing. */
  readonly lostLog: LostLog | null
  /** Whether to compute again what can be. */
  readonly repairs: boolean
}

export interface SqlRule {
  readonly invariant: string
  /** A select of one text, `violation`: the row that breaks the rule, so that an operator can find it. */
  readonly sql: string
  /** What can be computed again where it is broken. */
  readonly mends?: Subject
}

const VIOLATION = { violation: text('violation') }

/** Selects the violations of the rules. @param params of each rule's SQL */
export function readProblems(
  rules: readonly SqlRule[],
  params: readonly Parameter[],
): BatchRead<readonly Problem[]> {
  const reads = rules.map(({ invariant, sql, mends }) =>
    batchRead([typed(VIOLATION, { sql, params })], ([rows]) =>
      rows.map(({ violation }): Problem => ({
        invariant,
        where: violation,
        ...(mends && { mends }),
      })),
    ),
  )
  const { statements, read } = listRead(reads)
  return { statements, read: (results) => read(results).flat() }
}
