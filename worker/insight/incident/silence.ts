/** Silence of the fleet: so few nodes report that what is known of the others' runs is old. */

import type { Timestamp } from '../../lib/time.ts'
import type { Fleet } from '../fleet.ts'
import { INCIDENT_THRESHOLDS } from './incident.ts'

export interface Silence {
  /** Nodes that are silent, of all that have reported. */
  readonly silent: number
  readonly nodes: number
  /** The newest report of all. */
  readonly newest: Timestamp
}

/** Null while more nodes report than are silent. */
export function silenceOf({
  silent,
  nodes,
  newest,
}: Pick<Fleet, 'silent' | 'nodes' | 'newest'>): Silence | null {
  const isSilent = nodes > 0 && silent >= INCIDENT_THRESHOLDS.silentShare.value * nodes
  return isSilent && newest !== null ? { silent, nodes, newest } : null
}
