/** The Worker. */

import { app } from './app.ts'
import type { Env } from './env.ts'
import { log } from './lib/log.ts'
import { readSettings, type Settings } from './schema/settings.ts'
import { Database } from './store/database.ts'
import { notify, NOTIFY_CRON } from './notify/notify.ts'
import { keepHouse } from './housekeeping/housekeeping.ts'

export default {
  fetch: app.fetch,
  /**
   * Hourly: counts the hours that are over, and takes away what is too old. A line of the log says what
   * was done. Every few minutes: tells whoever wants to be told. What goes wrong with one leaves the other alone.
   */
  async scheduled({ cron, scheduledTime }, env) {
    const settings = readSettings(env)
    if (cron === NOTIFY_CRON) return tell(Database.primary(env.DB), settings, scheduledTime)
    const database = Database.primary(env.DB)
    const kept = await keepHouse(database, settings, scheduledTime)
    const { rowsRead, rowsWritten } = database.usage
    if (kept === null) {
      log('warn', { housekeeping: 'left to a run that is at it' })
    } else if (
      settings.LOG_REQUESTS === 'on' &&
      (kept.hoursClosed > 0 || kept.retention.some((one) => one.rowsWritten > 0))
    ) {
      log('info', { housekeeping: kept, rowsRead, rowsWritten })
    }
  },
} satisfies ExportedHandler<Env>

async function tell(database: Database, settings: Settings, now: number): Promise<void> {
  const notified = await notify(database, settings, now)
  if (settings.LOG_REQUESTS === 'on' && notified && notified.told + notified.refused > 0) {
    log('info', { notified, ...database.usage })
  }
}
