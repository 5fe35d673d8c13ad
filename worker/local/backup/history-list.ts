/** The files of a backup's history: their list is written with the backup, and each is read when the backup is checked. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPath, type HistoryReader } from '../../history/bucket.ts'
import { DamagedPart } from '../../history/open-file.ts'
import { readWholeFile, readWholePart } from '../../history/whole-part.ts'
import { wholePaths } from '../whole-history.ts'

const listOf = (history: string): string => `${history}.txt`

const textOrNull = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch(nullWithoutFile)

function nullWithoutFile(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

/** Writes the list beside the folder of a history. */
export async function writeHistoryList(history: string): Promise<void> {
  const paths = (await wholePaths(history)).toSorted()
  await writeFile(listOf(history), paths.map((path) => `${path}\n`).join(''), { mode: 0o600 })
}

/**
 * Reads all files of a history.
 *
 * @returns what is missing or damaged, a sentence each; of a backup without a list, made before there were any, no missing day or month
 */
export async function historyProblems(history: string): Promise<readonly string[]> {
  const found = await wholePaths(history)
  const listed = ((await textOrNull(listOf(history))) ?? '').split('\n').filter(Boolean)
  const problems = new Set(
    listed.filter((path) => !found.includes(path)).map((path) => `${path} is missing`),
  )
  for (const path of found) {
    try {
      await readWhole(folderReader(history), path)
    } catch (error) {
      if (!(error instanceof DamagedPart)) throw error
      problems.add(error.message)
    }
  }
  return [...problems]
}

/** Other files of a day are read with its `reports`, which commits the part. */
async function readWhole(reader: HistoryReader, path: string): Promise<void> {
  const { table, span, day, part } = readPath(path)!
  if (span === 'day' && table === 'reports') await readWholePart(reader, day, part)
  else await readWholeFile(reader, path)
}

const folderReader = (folder: string): HistoryReader => ({
  async get(path) {
    const bytes = await readFile(join(folder, path)).catch(nullWithoutFile)
    return bytes && { arrayBuffer: () => Promise.resolve(new Uint8Array(bytes).buffer) }
  },
})
