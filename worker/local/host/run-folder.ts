/** The folder of one running service, with workerd's configuration and sockets. Only its user may enter it. */

import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { typed } from '../commands.mjs'
import { isAlive } from '../folder-lock.ts'
import { StartError } from '../command-line.ts'

/** File in the data folder that names the run folder of its service. */
export const RUN_FILE = 'service.run'

const PREFIX = 'report-query-service-'

/** Makes the data folder, which only its user may enter, and names the run folder in it. */
export async function prepareDataFolder(dataFolder: string, runFolder: string): Promise<void> {
  await mkdir(dataFolder, { recursive: true })
  await chmod(dataFolder, 0o700)
  await writeFile(join(dataFolder, RUN_FILE), runFolder)
}

/** Folders that this process has made and not yet removed. */
const folders = new Set<string>()

/**
 * Makes a folder below systemd's runtime directory, or below that of temporary files, and removes
 * the folders of killed processes. When this process exits, it removes its remaining folders.
 *
 * @returns its path
 * @throws StartError (5) if the folder can't be made
 */
export async function makeRunFolder(): Promise<string> {
  const base = process.env['RUNTIME_DIRECTORY'] ?? tmpdir()
  try {
    return await makeIn(base)
  } catch (error) {
    if (error instanceof StartError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new StartError(
      `The sockets of the runtime need a folder that this user can write to, and ${base} is none (${code}). ${ANOTHER}`,
      5,
    )
  }
}

const ANOTHER = `Name another: RUNTIME_DIRECTORY=DIR ${typed('start')}`
/** Bytes of the folder's path that leave room for the names of sockets: macOS allows 103 in all. */
const LONGEST_BASE = 60

async function makeIn(base: string): Promise<string> {
  if (Buffer.byteLength(base) > LONGEST_BASE)
    throw new StartError(
      `The path ${base} is too long for the sockets of the runtime: at most ${LONGEST_BASE} bytes fit. ${ANOTHER}`,
      5,
    )
  for (const name of readdirSync(base)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(base, name))
  }
  const folder = await mkdtemp(join(base, `${PREFIX}${process.pid}-`))
  if (folders.size === 0) process.once('exit', removeAll)
  folders.add(folder)
  return folder
}

/**
 * Writes the files that the runtime reads at its start, into a folder that may be gone: systems clean their
 * temporary files of some age.
 *
 * @param files texts by name @throws Error if another user has made a folder of that name since
 */
export function writeRunFolder(folder: string, files: Readonly<Record<string, string>>): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const { uid, mode } = lstatSync(folder)
    if (uid !== process.getuid?.() || (mode & 0o77) !== 0)
      throw new Error(`The folder ${folder} is open to other users. Restart the service.`, {
        cause: error,
      })
  }
  // Some fifty small files: threads would take longer to get at them. Another runtime may be reading them now: each is whole.
  for (const [name, content] of Object.entries(files)) {
    const draft = join(folder, `${name}.draft`)
    writeFileSync(draft, content)
    renameSync(draft, join(folder, name))
  }
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
