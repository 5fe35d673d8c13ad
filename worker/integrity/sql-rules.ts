/** Runs rules whose SQL selects the rows that break them. */

import { text, typed } from '../sql/columns.ts'
import type { Parameter } from '../sql/statement.ts'
import { batchRead, listRead, type BatchRead } from '../store/batch-read.ts'
import type { Problem, Subject } from './checked-page.ts'

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
