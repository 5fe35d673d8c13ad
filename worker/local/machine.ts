/** Figures of the machine that the service runs on, which the runtime can't see. */

import { statfs } from 'node:fs/promises'
import type { HostFigures } from '../http/monitoring/host-figures.ts'
import { lastBackupOf } from './backup/last-backup.ts'
import { readLostLog } from './lost-log.ts'

/** @param data folder of the database and the history */
export async function hostFiguresOf(data: string): Promise<HostFigures> {
  const disk = await statfs(data).catch(() => null)
  return {
    lastBackup: await lastBackupOf(data),
    freeBytes: disk && disk.bavail * disk.bsize,
    lostLog: await readLostLog(data),
  }
}
