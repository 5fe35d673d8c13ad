/** Runs rules whose SQL selects the rows that break them. */

import { text, typed } from '../sql/columns.ts'
import type { Parameter } from '../sql/statement.ts'
import { batchRead, listRead, type BatchRead } from '../store/batch-read.ts'
import type { Problem } from './checked-page.ts'

export interface SqlRule {
  readonly invariant: string
  /** A select of one text, `violation`: the row that breaks the rule, so that an operator can find it. */
  readonly sql: string
}

const VIOLATION = { violation: text('violation') }

/** Selects the violations of the rules. @param params of each rule's SQL */
export function readProblems(
  rules: readonly SqlRule[],
  params: readonly Parameter[],
): BatchRead<readonly Problem[]> {
  const reads = rules.map(({ invariant, sql }) =>
    batchRead([typed(VIOLATION, { sql, params })], ([rows]) =>
      rows.map(({ violation }): Problem => ({ invariant, where: violation })),
    ),
  )
  const { statements, read } = listRead(reads)
  return { statements, read: (results) => read(results).flat() }
}
