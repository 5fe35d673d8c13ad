/** The sockets on which the launcher serves the runtime: files of the history, and mail. */

import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { historySocket, mailSocket } from './configuration.ts'
import { serveHistory } from './history-folder.ts'
import { serveMail } from './mail-relay.ts'

export class LauncherSockets {
  private servers: readonly Server[] = []

  constructor(
    private readonly runFolder: string,
    private readonly dataFolder: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** Listens where it does not, and again where the run folder was cleaned. */
  async open(): Promise<void> {
    const { runFolder, dataFolder, settings } = this
    const [history, mail] = [historySocket(runFolder), mailSocket(runFolder)]
    if (this.servers.length > 0 && existsSync(history) && existsSync(mail)) return
    this.close()
    this.servers = await Promise.all([
      serveHistory(join(dataFolder, 'history'), history),
      serveMail(settings, mail),
    ])
  }

  close(): void {
    for (const server of this.servers) server.close()
    this.servers = []
  }
}
