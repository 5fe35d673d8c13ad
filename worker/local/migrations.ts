/** The migrations that the self-hosted service applies. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Migration } from './workers/env.ts'

/** All migrations, in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const read = async (name: string): Promise<Migration> => ({
    name,
    statements: splitStatements(await readFile(join(folder, name), 'utf8')),
  })
  return Promise.all(names.map(read))
}

/** In our migrations a semicolon always ends a statement, and comments are on separate lines. */
const splitStatements = (text: string): string[] =>
  text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
