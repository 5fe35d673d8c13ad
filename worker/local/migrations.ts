/** The migrations, as the running service applies them. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Migration } from './workers/env.ts'

/** All there are, in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const read = async (name: string): Promise<Migration> => ({
    name,
    statements: splitStatements(await readFile(join(folder, name), 'utf8')),
  })
  return Promise.all(names.map(read))
}

/** Our migrations hold no semicolon but at the end of a statement; comments are lines of their own. */
const splitStatements = (text: string): string[] =>
  text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
