/** Removes the sample fleet, so that real nodes are never mixed with it. */

import { deleteNode } from '../../housekeeping/delete-node.ts'
import { SAMPLE_CERTNAMES } from '../../schema/sample-fleet.ts'
import { Database } from '../../store/database.ts'
import type { HostEnv } from './env.ts'

/** What became of the sample fleet, in nodes. */
export interface SampleRemoval {
  readonly removed: number
  /** Still in the database: no other node has reported. */
  readonly left: number
}

const SAMPLE = 'select certname from nodes where certname in (select value from json_each(?1))'
const REPORTED = `select 1 from nodes where latest is not null
and certname not in (select value from json_each(?1)) limit 1`

/** @param always removes it even if no other node has reported */
export async function removeSample({ DB }: HostEnv, always: boolean): Promise<SampleRemoval> {
  const names = JSON.stringify(SAMPLE_CERTNAMES)
  const [sample, others] = await DB.batch<{ certname: string }>([
    DB.prepare(SAMPLE).bind(names),
    DB.prepare(REPORTED).bind(names),
  ])
  const found = sample!.results
  if (!always && others!.results.length === 0) return { removed: 0, left: found.length }
  const database = Database.primary(DB)
  for (const { certname } of found) await deleteNode(database, certname)
  return { removed: found.length, left: 0 }
}
