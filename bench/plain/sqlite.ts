/** Runs in a plain Node that has an SQLite: prints the median time of each question's statements, in ms. */

import { readFile } from 'node:fs/promises'
import type { Parameter, Statement } from '../../worker/sql/statement.ts'
import { median } from '../statistics.ts'
import type { PlainAnswer, PlainTask } from './floor.ts'

/** The part that is used of node:sqlite, which the types of Node 20 do not know. */
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

/** As D1 does it: each statement is prepared anew, and its rows are arrays. */
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
