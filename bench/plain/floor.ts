/** The floor of a query: its statements on the same database by SQLite in a plain Node, without a Worker, D1 or HTTP. */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { RecordedStatements } from './record-statements.ts'
import type { Statement } from '../../worker/sql/statement.ts'
import { inFolder } from '../folder.ts'
import { buildProgram } from '../program.ts'

const run = promisify(execFile)

/** The input of the plain Node: the database, and its statements. */
export interface PlainTask {
  readonly file: string
  readonly samples: number
  readonly questions: readonly (readonly Statement[])[]
}

/** The figures of one question. */
export interface PlainAnswer {
  readonly milliseconds: number
  readonly rows: number
}

/** Commands that start a Node with node:sqlite, which Node 20 lacks; the second fetches one from the registry. */
const NODES: readonly (readonly string[])[] = [
  [process.execPath],
  ['npx', '--yes', '--package=node@24', 'node'],
]
export const QUIET = { ...process.env, NODE_NO_WARNINGS: '1' }

/** The first command that works here; null if none does. */
export async function nodeWithSqlite(): Promise<readonly string[] | null> {
  for (const command of NODES) {
    const [program, ...args] = [...command, '--eval', 'require("node:sqlite")']
    const works = await run(program, args, { env: QUIET }).then(
      () => true,
      () => false,
    )
    if (works) return command
  }
  return null
}

/**
 * Medians in ms, in the order of the questions; null if there is no Node with node:sqlite.
 *
 * @param data folder of the service's database; nothing may write to it meanwhile
 */
export async function plainMilliseconds(
  data: string,
  recorded: readonly RecordedStatements[],
  samples: number,
): Promise<readonly number[] | null> {
  const command = await nodeWithSqlite()
  if (command === null) return null
  return inFolder('plain', async (folder) => {
    const [program, task] = [join(folder, 'sqlite.mjs'), join(folder, 'task.json')]
    await buildProgram('bench/plain/sqlite.ts', program)
    const file = await copyOf(data, folder)
    const questions = recorded.map(({ statements }) => statements)
    await writeFile(task, JSON.stringify({ file, samples, questions } satisfies PlainTask, asBytes))
    const [node, ...args] = [...command, program, task]
    const { stdout } = await run(node, args, { env: QUIET })
    const answers = JSON.parse(stdout) as PlainAnswer[]
    return answers.map(({ milliseconds, rows }, index) => {
      const { rows: wanted } = recorded[index]!
      if (rows !== wanted) throw new Error(`SQLite alone gave ${rows} rows, and D1 ${wanted}.`)
      return milliseconds
    })
  })
}

/** JSON with bytes as a list of numbers in an object. */
const asBytes = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { bytes: [...value] } : value

/** A copy of the database, since another process would have to wait for the service's locks. */
async function copyOf(data: string, folder: string): Promise<string> {
  const database = await databaseIn(data)
  const copy = join(folder, 'copy.sqlite')
  for (const suffix of ['', '-wal']) {
    if (existsSync(database + suffix)) await copyFile(database + suffix, copy + suffix)
  }
  return copy
}

/** The file of the database that a service keeps in a folder. */
export async function databaseIn(data: string): Promise<string> {
  const files = await readdir(data, { recursive: true })
  const database = files.find(
    (name) => name.endsWith('.sqlite') && !name.endsWith('metadata.sqlite'),
  )
  if (database === undefined) throw new Error(`There is no database in ${data}.`)
  return join(data, database)
}
