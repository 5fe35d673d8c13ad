/** Opens the database of the Worker. Nothing outside this folder and the Worker's entry names D1's binding. */

import { Database } from './database.ts'
import { Unavailable } from '../lib/errors.ts'

/** The database connections that a request can open. */
export interface Databases {
  /** The primary, in a session, so that its bookmark lets a later reader see the write. */
  readonly primary: () => Database
  /** The nearest replica that has seen `bookmark`, or any replica without one; reads fail after `seconds`. */
  readonly nearest: (bookmark?: string | null, seconds?: number | null) => Database
  /** Whether the database answers and has its tables. */
  readonly isUp: () => Promise<boolean>
}

/** @param opened is called with every database that is opened */
export function databasesOf(
  binding: D1Database,
  opened: (database: Database) => void = () => undefined,
): Databases {
  const noted = (database: Database): Database => {
    opened(database)
    return database
  }
  return {
    primary: () => noted(Database.nearest(binding, 'first-primary')),
    nearest: (bookmark = null, seconds = null) =>
      noted(Database.nearest(binding, bookmark, seconds)),
    isUp: () => databaseIsUp(binding),
  }
}

/** How long an answer counts, in ms: anybody may ask, and the database has one thread. */
const FRESH_MS = 1000

const answers = new WeakMap<D1Database, { readonly until: number; readonly isUp: boolean }>()

/** Whether the database answers; asks it once a second at most, except for requests at the same moment. */
async function databaseIsUp(binding: D1Database): Promise<boolean> {
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
