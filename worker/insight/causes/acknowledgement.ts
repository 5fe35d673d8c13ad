/** Acknowledgements of causes, as pages and the API show them. */

import { sql, type SQL } from 'drizzle-orm'
import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import {
  ACKNOWLEDGEMENT_OF_CAUSE,
  quietCauses,
  type AcknowledgementList,
} from '../../store/acknowledgements.ts'
import { flag, json, nullable } from '../../sql/columns.ts'
import type { View } from '../view.ts'

export interface Acknowledgement {
  readonly note: string
  readonly by: string
  readonly at: Timestamp
  readonly until: Timestamp
  /** How many nodes failed by the cause when it was acknowledged; null for restricted readers, as all nodes are counted. */
  readonly nodes: number | null
  /** Whether the cause is quiet; otherwise its time is over, or it has grown. */
  readonly holds: boolean
  readonly ended: 'time' | 'grown' | null
}

/** The ids of the causes that are quiet now. */
export const quiet = ({ now }: Pick<View, 'now'>): SQL =>
  sql.raw(quietCauses(String(Math.floor(now))))

/** Columns of the cause `c`. @param isQuiet SQL that it is quiet */
export const acknowledgementColumns = (isQuiet: SQL) => ({
  quiet: flag(isQuiet),
  acknowledgement: nullable(json<AcknowledgementList, SQL>(sql.raw(ACKNOWLEDGEMENT_OF_CAUSE))),
})

export function acknowledgementOf(
  { now, restricted }: Pick<View, 'now' | 'restricted'>,
  { quiet, acknowledgement }: { quiet: boolean; acknowledgement: AcknowledgementList | null },
): Acknowledgement | null {
  if (acknowledgement === null) return null
  const [, note, by, created, until, nodes] = acknowledgement
  return {
    note,
    by,
    at: formatTimestamp(created),
    until: formatTimestamp(until),
    nodes: restricted ? null : nodes,
    holds: quiet,
    ended: quiet ? null : until <= now ? 'time' : 'grown',
  }
}
