/** Subselects for keys of reports: of a hash, and of the report before or after another report of its node. */

import { sql, type SQL } from 'drizzle-orm'
import { hashBytes } from '../../sql/encoding.ts'
import { equalsHash } from '../../sql/hash.ts'
import { isNotFailedCode } from '../../schema/states.ts'
import type { View } from '../view.ts'

/** The key of the visible report with that hash. */
export const reportNamed = ({ rowPolicy }: View, hash: string): SQL =>
  sql`(select reports.id from reports where ${equalsHash(sql`reports.hash`, hashBytes(hash))} and ${rowPolicy})`

/** How to find a neighbour of `k` on its node: how its key compares, and whether it must not have failed. */
const NEIGHBOURS = {
  previous: sql`reports.id < k.id order by reports.id desc`,
  next: sql`reports.id > k.id order by reports.id`,
  good: sql`reports.id < k.id and ${sql.raw(isNotFailedCode('reports.state'))} order by reports.id desc`,
} as const
/** The report before, the report after, and the last report before that did not fail. */
export type NeighbourName = keyof typeof NEIGHBOURS
export const NEIGHBOUR_NAMES = Object.keys(NEIGHBOURS) as readonly NeighbourName[]

/** The key of a neighbour of the report with that key; null without one. */
export const neighbourOf = ({ rowPolicy }: View, key: SQL, name: NeighbourName): SQL =>
  sql`(select (select reports.id from reports where reports.node = k.node and ${rowPolicy} and ${NEIGHBOURS[name]} limit 1)
    from reports k where k.id = ${key})`
