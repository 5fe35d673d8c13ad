/** The folder of one running service, with workerd's configuration and sockets. Only its user may enter it. */

import { readdirSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** File in the data folder that names the run folder of its service. */
export const RUN_FILE = 'service.run'

const PREFIX = 'report-query-service-'

/** Folders that this process has made and not yet removed. */
const folders = new Set<string>()

/**
 * Makes a folder below systemd's runtime directory, or below that of temporary files, and removes
 * the folders of killed processes. When this process exits, it removes its remaining folders.
 *
 * @returns its path
 */
export async function makeRunFolder(): Promise<string> {
  const base = process.env['RUNTIME_DIRECTORY'] ?? tmpdir()
  for (const name of readdirSync(base)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(base, name))
  }
  const folder = await mkdtemp(join(base, `${PREFIX}${process.pid}-`))
  if (folders.size === 0) process.once('exit', removeAll)
  folders.add(folder)
  return folder
}

/** Removes a folder that `makeRunFolder` made. */
export function removeRunFolder(folder: string): void {
  remove(folder)
  folders.delete(folder)
  if (folders.size === 0) process.off('exit', removeAll)
}

const removeAll = (): void => folders.forEach(remove)

/** Leaves folders of other users alone. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
