/** The folder of one running service: what workerd reads, and its sockets. Nobody but the user may enter it. */

import { readdirSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** In the folder of the data: where the service that has it runs. */
export const RUN_FILE = 'service.run'

const PREFIX = 'report-query-service-'

/** Makes the folder, below the one that systemd has made for the service or that of temporary files. It goes with this process, and removes those of processes that were killed. @returns its path */
export async function makeRunFolder(): Promise<string> {
  const base = process.env['RUNTIME_DIRECTORY'] ?? tmpdir()
  for (const name of readdirSync(base)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(base, name))
  }
  const folder = await mkdtemp(join(base, `${PREFIX}${process.pid}-`))
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
