/** What the launcher tells each process of workerd over its admin socket. */

import { statfs } from 'node:fs/promises'
import type { HostFigures } from '../http/monitoring/host-figures.ts'
import { lastBackupOf } from './backup/last-backup.ts'
import type { StorageProblem } from './health.ts'
import type { AdminRequest } from './host/unix-request.ts'
import { readLostLog } from './lost-log.ts'

/** The operation that reports a problem; null for none any more. */
export function problemOperation(problem: StorageProblem | null): string {
  const { sentence = '', refuses = false } = problem ?? {}
  const words = new URLSearchParams({ sentence, refuses: String(refuses) })
  return problem === null ? '/well' : `/problem?${words}`
}

/** The operation that reports the figures of the machine. */
export async function figuresOperation(dataFolder: string): Promise<string> {
  const json = JSON.stringify(await hostFiguresOf(dataFolder))
  return `/figures?${new URLSearchParams({ json })}`
}

/** Figures of the machine, which the runtime can't see. @param data folder of the database and the history */
async function hostFiguresOf(data: string): Promise<HostFigures> {
  const disk = await statfs(data).catch(() => null)
  return {
    lastBackup: await lastBackupOf(data),
    freeBytes: disk && disk.bavail * disk.bsize,
    lostLog: await readLostLog(data),
  }
}

/** The tokens that give access, where the launcher reads them from a file. */
export class CurrentTokens {
  #text: string | null = null

  /** @param text of the setting TOKENS */
  set(text: string): void {
    this.#text = text
  }

  /** Until the process has the tokens of now, as they may change while it is told. */
  async sendTo(administer: AdminRequest): Promise<void> {
    for (let sent: string | null = null; sent !== this.#text;) {
      sent = this.#text
      if (sent !== null) await administer('/tokens', sent)
    }
  }
}
