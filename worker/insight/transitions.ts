/** What happened that a rule tells of: nodes that came to be another than they were, new causes, silence. */

import type { Rule } from '../schema/transitions.ts'
import type { Database } from '../store/database.ts'
import { transitionsStatement } from './transitions-sql.ts'
import { readOne, type BatchRead } from '../store/batch-read.ts'
import { momentOf } from './key-time.ts'
import { readScope } from './scope.ts'
import { viewOf, type View } from './view.ts'

export interface Happened {
  readonly certname: string
  readonly environment: string | null
  /** Of the run; of a silent node, its last one. */
  readonly time: string
  readonly report: string
  /** Why it failed, and the name of that cause, where it did. */
  readonly reason: string | null
  readonly cause: string | null
}

export interface Happenings {
  readonly total: number
  /** Newest first; the first of them where there are many. */
  readonly items: readonly Happened[]
}

const askTransitions = (view: View, rule: Rule, limit: number): BatchRead<Happenings> => ({
  statements: [transitionsStatement(view, rule, limit)],
  read: ([rows]) => ({
    total: (rows![0]?.[6] as number | undefined) ?? 0,
    items: rows!.map(([certname, environment, key, report, reason, cause]) => ({
      certname: certname as string,
      environment: environment as string | null,
      time: momentOf(key as number),
      report: report as string,
      reason: reason as string | null,
      cause: cause as string | null,
    })),
  }),
})

/**
 * What a rule tells of among what arrived in a span, in ms.
 *
 * @throws QueryError where its filter can't be understood
 */
export async function happenings(
  database: Database,
  rule: Rule,
  span: { readonly since: number; readonly until: number },
  limit: number,
): Promise<Happenings> {
  const scope = { ...readScope({ filter: rule.filter }, span.until, null), ...span }
  return readOne(database, askTransitions(await viewOf(database, scope), rule, limit))
}

const DAY_MS = 24 * 3_600_000
const LONGEST_LOOK_MS = 5000

/** What a rule would have told of in the last seven days. */
export interface Rehearsal extends Happenings {
  /** Since when, in ms: later than seven days ago where there was too much to look at. */
  readonly since: number
}

/** Looks a day at a time, the last one first, and no longer than a few seconds. */
export async function rehearse(
  database: Database,
  rule: Rule,
  now: number,
  limit: number,
): Promise<Rehearsal> {
  const begun = Date.now()
  let [until, total] = [now, 0]
  let items: readonly Happened[] = []
  for (let day = 0; day < 7 && Date.now() - begun < LONGEST_LOOK_MS; day++) {
    const found = await happenings(database, rule, { since: until - DAY_MS, until }, limit)
    total += found.total
    items = [...items, ...found.items].slice(0, limit)
    until -= DAY_MS
  }
  return { since: until, total, items }
}
