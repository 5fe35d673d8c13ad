/** What retention would take away now, told before it does. */

import { formatTimestamp } from '../lib/time.ts'
import type { Settings } from '../schema/settings.ts'
import { Database } from '../store/database.ts'
import { previewRetention } from '../housekeeping/preview-retention.ts'
import { costHeaders, objectResponse } from './respond.ts'
import { refuseParameters } from './status.ts'

/** A dry run: reads at most 100,000 reports a rule, and writes nothing. */
export async function retentionResponse(
  request: Request,
  binding: D1Database,
  settings: Settings,
): Promise<Response> {
  refuseParameters(request)
  const database = Database.nearest(binding, null)
  const now = Date.now()
  const steps = await previewRetention(database, settings, now)
  return objectResponse({ as_of: formatTimestamp(now), steps }, 200, costHeaders(database))
}
