/** Commands that root runs beside a service of another user. */

import { chown, stat } from 'node:fs/promises'

/** What root has made belongs to the user of the service, who owns the folder. */
export async function giveToOwner(folder: string, paths: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  for (const path of paths) await chown(path, uid, gid)
}
