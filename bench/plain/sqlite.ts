/** Runs in a plain Node with node:sqlite: prints the median time of each question's statements, in ms. */

import { readFile } from 'node:fs/promises'
import type { Parameter, Statement } from '../../worker/sql/statement.ts'
import { median } from '../statistics.ts'
import type { PlainAnswer, PlainTask } from './floor.ts'

/** The used part of node:sqlite, which Node 20's types lack. */
interface Sqlite {
  readonly DatabaseSync: new (file: string) => {
    prepare(sql: string): {
      setReturnArrays(enabled: boolean): void
      all(...params: readonly Parameter[]): unknown[]
    }
  }
}

const module = 'node:sqlite'
const { DatabaseSync } = (await import(module)) as Sqlite

const ofBytes = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'bytes' in value
    ? Uint8Array.from(value.bytes as number[])
    : value

const { file, samples, questions } = JSON.parse(
  await readFile(process.argv[2]!, 'utf8'),
  ofBytes,
) as PlainTask
const database = new DatabaseSync(file)

/** Works as D1 does: prepares each statement anew, and reads rows as arrays. */
function answer(statements: readonly Statement[]): number {
  let rows = 0
  for (const { sql, params } of statements) {
    const prepared = database.prepare(sql)
    prepared.setReturnArrays(true)
    rows += prepared.all(...params).length
  }
  return rows
}

function timeOf(statements: readonly Statement[]): number {
  const begun = performance.now()
  answer(statements)
  return performance.now() - begun
}

const answers = questions.map((statements): PlainAnswer => {
  const rows = answer(statements)
  for (let warming = 1; warming < 10; warming++) answer(statements)
  const times = Array.from({ length: samples }, () => timeOf(statements))
  return { milliseconds: median(times), rows }
})
process.stdout.write(JSON.stringify(answers))
