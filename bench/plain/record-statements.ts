/** Records the statements that the Worker sends to its database to answer a query. */

import '../newer-node.ts'
import { app } from '../../worker/app.ts'
import type { Statement } from '../../worker/sql/statement.ts'
import { bindingOf, OPEN } from '../binding.ts'
import type { Probe } from '../probe.ts'

export interface RecordedStatements {
  readonly statements: readonly Statement[]
  /** Total number of rows in the answers. */
  readonly rows: number
}

/** @param path below the API's root */
export async function recordStatements(path: string, probe: Probe): Promise<RecordedStatements> {
  const recorded: Statement[] = []
  let rows = 0
  const database = bindingOf(async (statements) => {
    const answers = await probe(statements)
    recorded.push(...statements)
    rows += answers.reduce((sum, { results }) => sum + results.length, 0)
    return answers
  })
  const request = new Request(`http://127.0.0.1${path}`)
  const response = await app.fetch(request, { ...OPEN, DB: database })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return { statements: recorded, rows }
}
