/** Temporary folders, which are also removed when the program is interrupted. */

import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()

// Miniflare stops workerd when this process ends, but does not remove these folders.
function interrupted(): never {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  process.exit(130)
}

/** Does the work in a new folder, and removes it afterwards. */
export async function inFolder<Result>(
  name: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), `report-query-${name}-`))
  if (folders.size === 0) process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  folders.add(folder)
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    folders.delete(folder)
    if (folders.size === 0) process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}
