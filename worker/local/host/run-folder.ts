/** The folder of one running service: what workerd reads, and its sockets. Nobody but the user may enter it. */

import { readdirSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'report-query-service-'

/** Makes the folder, which goes with this process, and removes those of processes that were killed. @returns its path */
export async function makeRunFolder(): Promise<string> {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(tmpdir(), name))
  }
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  process.once('exit', () => remove(folder))
  return folder
}

/** One of another user stays. */
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
