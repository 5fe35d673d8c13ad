/** Checks that the database answers, and has its tables. */

import { Unavailable } from '../lib/errors.ts'
import { Database } from './database.ts'

export async function databaseIsUp(binding: D1Database): Promise<boolean> {
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
