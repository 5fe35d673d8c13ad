/** The Worker. */

import { app } from './app.ts'
import type { Env } from './env.ts'
import { log } from './lib/log.ts'
import { readSettings, type Settings } from './schema/settings.ts'
import { Database } from './store/database.ts'
import { notify, NOTIFY_CRON } from './notify/notify.ts'
import { runHousekeeping } from './housekeeping/housekeeping.ts'

export default {
  fetch: app.fetch,
  /**
   * Every hour housekeeping closes hours and applies retention, and logs a line about it. Every few
   * minutes hooks are run and messages delivered. A failure of one trigger does not affect the other.
   */
  async scheduled({ cron, scheduledTime }, env) {
    const settings = readSettings(env)
    if (cron === NOTIFY_CRON) return runHooks(Database.primary(env.DB), settings, scheduledTime)
    const database = Database.primary(env.DB)
    const done = await runHousekeeping(database, settings, scheduledTime)
    const { rowsRead, rowsWritten } = database.usage
    if (done === null) {
      log('warn', { housekeeping: 'skipped: another run holds the lease' })
    } else if (
      settings.LOG_REQUESTS === 'on' &&
      (done.hoursClosed > 0 || done.retention.some((one) => one.rowsWritten > 0))
    ) {
      log('info', { housekeeping: done, rowsRead, rowsWritten })
    }
  },
} satisfies ExportedHandler<Env>

async function runHooks(database: Database, settings: Settings, now: number): Promise<void> {
  const notified = await notify(database, settings, now)
  if (
    settings.LOG_REQUESTS === 'on' &&
    notified &&
    notified.delivered + notified.failed + notified.messages > 0
  ) {
    log('info', { notified, ...database.usage })
  }
}
