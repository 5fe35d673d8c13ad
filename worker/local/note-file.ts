/** Notes in the data folder, of the launcher and of its commands: small files of JSON. */

import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { giveToOwner } from './owner.ts'

/** @returns null where there is no note, or one that can't be read */
export async function readNoteFile<Note>(data: string, name: string): Promise<Note | null> {
  try {
    return JSON.parse(await readFile(join(data, name), 'utf8')) as Note
  } catch {
    return null
  }
}

/** Whole or not at all, where the process ends meanwhile. */
export async function writeNoteFile(data: string, name: string, note: object): Promise<void> {
  const draft = join(data, `${name}.partial`)
  await writeFile(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 })
  await giveToOwner(data, [draft])
  await rename(draft, join(data, name))
}
