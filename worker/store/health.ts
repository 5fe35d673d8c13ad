/** Checks that the database answers, and has its tables. */

import { Unavailable } from '../lib/errors.ts'
import { Database } from './database.ts'

/** How long an answer counts, in ms: anybody may ask, and the database has one thread. */
const FRESH_MS = 1000

const answers = new WeakMap<D1Database, { readonly until: number; readonly isUp: boolean }>()

/** Whether the database answers; asks it once a second at most, except for requests at the same moment. */
export async function databaseIsUp(binding: D1Database): Promise<boolean> {
  const known = answers.get(binding)
  if (known !== undefined && Date.now() < known.until) return known.isUp
  const isUp = await answersNow(binding)
  answers.set(binding, { until: Date.now() + FRESH_MS, isUp })
  return isUp
}

async function answersNow(binding: D1Database): Promise<boolean> {
  try {
    await Database.nearest(binding, null).batch([
      { sql: 'select 1 from strings limit 1', params: [] },
    ])
    return true
  } catch (error) {
    if (error instanceof Unavailable) return false
    throw error
  }
}
