/** The sentence of the incident that the failures of a message belong to. */

import { incidentRead } from '../insight/incident/incident.ts'
import { readScope } from '../insight/scope.ts'
import type { Occurrences } from '../insight/transitions.ts'
import { viewOf } from '../insight/view.ts'
import type { Settings } from '../schema/settings.ts'
import type { Rule } from '../schema/transitions.ts'
import { readOne } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'

/** Among the hook's nodes, if these failures are of its cause; null otherwise. Read for a message only. @param now in ms */
export async function incidentSentence(
  database: Database,
  { filter }: Pick<Rule, 'filter'>,
  { items }: Occurrences,
  settings: Settings,
  now: number,
): Promise<string | null> {
  if (items.every(({ cause }) => cause === null)) return null
  const view = await viewOf(database, readScope({ filter }, now, null, settings))
  const { incident } = await readOne(database, incidentRead(view))
  if (incident === null || items.every(({ cause }) => cause !== incident.cause)) return null
  // Without code or group it says no more than the message.
  return incident.deploy === null && incident.group === null ? null : incident.sentence
}
