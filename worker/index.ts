/** The Worker. */

import { app } from './app.ts'
import type { Env } from './env.ts'
import { closeHours } from './store/close-hours.ts'
import { Database } from './store/database.ts'

export default {
  fetch: app.fetch,
  /** Hourly: counts the hours that are over. */
  async scheduled(controller, { DB }) {
    await closeHours(Database.primary(DB), controller.scheduledTime)
  },
} satisfies ExportedHandler<Env>
