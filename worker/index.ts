/** The Worker. */

import { app } from './app.ts'
import type { Env } from './env.ts'
import { log } from './lib/log.ts'
import { readSettings } from './schema/settings.ts'
import { Database } from './store/database.ts'
import { keepHouse } from './store/keep-house.ts'

export default {
  fetch: app.fetch,
  /** Hourly: counts the hours that are over, and takes away what is too old. A line of the log says what was done. */
  async scheduled(controller, env) {
    const database = Database.primary(env.DB)
    const settings = readSettings(env)
    const kept = await keepHouse(database, settings, controller.scheduledTime)
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
