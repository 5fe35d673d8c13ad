/** `GET /admin/v1/retention`: what retention would delete now. */

import { previewRetention } from '../../housekeeping/preview-retention.ts'
import { formatTimestamp } from '../../lib/time.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'

/** A dry run: reads at most 100,000 reports a rule, and writes nothing. */
export async function retentionPreview(call: Call): Promise<Response> {
  const { databases, settings } = call.var
  const database = databases.nearest()
  const now = Date.now()
  const steps = await previewRetention(database, settings, now)
  return objectResponse({ as_of: formatTimestamp(now), steps }, 'ok', costHeaders(call, database))
}
