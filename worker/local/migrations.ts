/** The migrations that the self-hosted service applies. */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Migration } from './workers/env.ts'

/** All migrations, in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const read = async (name: string): Promise<Migration> => {
    const text = await readFile(join(folder, name), 'utf8')
    const checksum = createHash('sha256').update(text).digest('hex')
    return { name, statements: splitStatements(text), checksum }
  }
  return Promise.all(names.map(read))
}

/** In our migrations a semicolon always ends a statement, and comments are on separate lines. */
const splitStatements = (text: string): string[] =>
  text
    .replace(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
