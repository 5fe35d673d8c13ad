/** The database for code that runs in its object: D1's API without a hop, without JSON and without copies of bytes. */

import {
  objectsOf,
  type DatabaseObject,
  type Meta,
  type ObjectParameter,
  type ObjectStatement,
} from './database.ts'

/** As D1's binding checks values: text, numbers, truth values, bytes. @throws Error for any other */
function bindable(value: unknown): ObjectParameter {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value
  if (typeof value === 'boolean') return Number(value)
  if (value instanceof ArrayBuffer || value instanceof Uint8Array) return value
  throw new Error(
    `D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${String(value)}'`,
  )
}

const prepare = (sql: string) => ({
  sql,
  bind: (...values: readonly unknown[]): ObjectStatement => ({ sql, params: values.map(bindable) }),
})

/** What the service reads of D1's `meta`. What each statement changed takes two further statements to know. */
const metaOf = ({ duration, rows_read, rows_written, size_after }: Meta) => ({
  duration,
  rows_read,
  rows_written,
  size_after,
})

/** What runs the statements. */
type Database = Pick<DatabaseObject, 'runBatch' | 'bookmark'>

/** Runs a batch, with errors as D1's binding words them. */
async function runOn(object: Database, statements: readonly ObjectStatement[]) {
  try {
    const outcomes = await object.runBatch(statements, 'the batch')
    return outcomes.map(({ results, meta }) => ({
      success: true,
      results: objectsOf(results),
      meta: metaOf(meta),
    }))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`D1_ERROR: ${message}`, { cause: error })
  }
}

/** @returns what the service uses of D1's API: `prepare`, `bind`, `batch`, and sessions with their bookmarks; and that it is in this process */
export function bindingTo(object: Database): D1Database {
  const batch = (statements: readonly ObjectStatement[]) => runOn(object, statements)
  const withSession = () => {
    let bookmark: string | null = null
    return {
      prepare,
      async batch(statements: readonly ObjectStatement[]) {
        const results = await batch(statements)
        bookmark = object.bookmark()
        return results
      },
      getBookmark: () => bookmark,
    }
  }
  return { isBeside: true, prepare, batch, withSession } as unknown as D1Database
}
