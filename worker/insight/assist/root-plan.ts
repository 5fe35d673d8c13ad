/** The plan of a query that names its entity itself, as `/query/v4` answers it. */

import { planQuestion } from '../../plan/build.ts'
import type { RowPolicy } from '../../plan/plan.ts'
import type { Query } from '../../query/ast.ts'

/** @throws QueryError where the query can't be understood */
export const planRoot = (query: Query, rowPolicy: RowPolicy | null) =>
  planQuestion({
    entity: (query.entity ?? '').replaceAll('-', '_'),
    query,
    activeOnly: true,
    rowPolicy,
  })
