/** The statements that a question is answered by, as the Worker sends them to its database. */

import '../newer-node.ts'
import { app } from '../../worker/app.ts'
import type { Statement } from '../../worker/sql/statement.ts'
import { bindingOf, OPEN } from '../binding.ts'
import type { Probe } from '../probe.ts'

export interface Asked {
  readonly statements: readonly Statement[]
  /** How many rows they were answered with, all together. */
  readonly rows: number
}

/** @param path below the API's root */
export async function askedBy(path: string, probe: Probe): Promise<Asked> {
  const asked: Statement[] = []
  let rows = 0
  const database = bindingOf(async (statements) => {
    const answers = await probe(statements)
    asked.push(...statements)
    rows += answers.reduce((sum, { results }) => sum + results.length, 0)
    return answers
  })
  const request = new Request(`http://127.0.0.1${path}`)
  const response = await app.fetch(request, { ...OPEN, DB: database })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return { statements: asked, rows }
}
