/**
 * The range of keys that a condition on another time leaves: times of one report are close to each other, so that a query
 * for what began or came since a time need not read all history. The few clock-skewed reports are looked up by their index.
 */

import { sql, type SQL } from 'drizzle-orm'
import type { Predicate } from '../plan/plan.ts'
import { CLOCKS } from '../schema/clocks.ts'
import { keyMillisecond } from '../schema/key.ts'
import { reports } from '../schema/tables.ts'
import { firstKey, literal } from './encoding.ts'
import { SKEWED } from './skewed.ts'

/** Times that have no index but are set on every report. */
const WITHOUT_INDEX = ['start_time', 'receive_time'] as const

/** Skewed reports of a span that are looked up to find the first of them; of more, all keys are read. */
const MOST_SKEWED = 100
const ANY_KEY = literal(-1e16)

/** The conditions on the key that follow from those on times since which reports are asked for. @param conditionOf SQL for a term */
export const askedKeys = (where: Predicate, conditionOf: (term: Predicate) => SQL): SQL[] =>
  (where.kind === 'and' ? where.terms : [where]).flatMap((term) => {
    if (term.kind !== 'ordered' || !term.operator.startsWith('>')) return []
    const name = WITHOUT_INDEX.find((one) => one === term.field.name)
    if (name === undefined) return []
    const { from, where: isSkewed, latest } = SKEWED[name].all
    const since = Math.floor(term.value)
    const first = literal(firstKey(keyMillisecond(since - CLOCKS[name].behind)))
    const skewed = sql`select ${reports.id} as id from ${from} where ${isSkewed} and ${latest} >= ${literal(since)}
      and ${conditionOf(term)} limit ${literal(MOST_SKEWED)}`
    return [
      sql`${reports.id} >= (select min(${first}, coalesce(iif(count(*) < ${literal(MOST_SKEWED)}, min(id), ${ANY_KEY}), ${first})) from (${skewed}))`,
    ]
  })
