/** Opens the database of the Worker. Nothing outside this folder and the Worker's entry names D1's binding. */

import { Database } from './database.ts'
import { databaseIsUp } from './health.ts'

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
