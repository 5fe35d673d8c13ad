/**
 * Room on the disk that the service keeps for its own start: the lock, and the index of the database's log. On a full disk
 * the start gives it up, so that queries are answered and the status says what is wrong.
 */

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'reserve'
const BYTES = 512 * 1024

/** Takes the room, unless the folder has it. @throws NodeJS.ErrnoException where there is too little */
export async function makeReserve(folder: string): Promise<void> {
  const path = join(folder, FILE)
  if (existsSync(path)) return
  const draft = `${path}.partial`
  try {
    // File systems that compress would keep no room for zeros.
    await writeFile(draft, randomBytes(BYTES), { mode: 0o600 })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Gives the room up. @returns whether there was any */
export async function releaseReserve(folder: string): Promise<boolean> {
  const path = join(folder, FILE)
  if (!existsSync(path)) return false
  await rm(path)
  return true
}
