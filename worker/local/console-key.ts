/** The key that signs the console's sessions, where the operator sets none: made once, and kept beside the database. */

import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'console-key'

/**
 * The key in a data folder; a new one where there is none, or none that can be used. Another key ends all sessions.
 *
 * @param folder which this process has taken
 * @throws NodeJS.ErrnoException if the file can't be read or written
 */
export async function keptConsoleKey(folder: string): Promise<string> {
  const path = join(folder, FILE)
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })
  if (/^[\w-]{40}$/.test(kept)) return kept
  const key = randomBytes(30).toString('base64url')
  await writeFile(path, key, { mode: 0o600 })
  return key
}
