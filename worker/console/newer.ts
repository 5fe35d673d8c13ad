/** Tells an open page whether newer runs arrived. It reads one row and mostly answers 304. */

import { emptyResponse, jsonResponse } from '../http/respond.ts'
import { HOUR } from '../lib/time.ts'
import { readOne } from '../store/batch-read.ts'
import { dataVersionRead } from '../insight/data-version.ts'
import { reportListRead } from '../insight/reports/report-list.ts'
import { viewOfSpan, type Visit } from './visit.ts'

/** Counting stops here. */
const MOST = 100

/**
 * Responds 304 if no report arrived since the page was made, otherwise with the number of newer runs
 * that the page would show.
 *
 * @param known the tag from the page's `If-None-Match`
 */
export async function newerRuns(visit: Visit, known: string | null): Promise<Response> {
  const tag = `"${await readOne(visit.database, dataVersionRead())}"`
  const headers = { etag: tag, 'cache-control': 'private, no-cache' }
  if (tag === known) return emptyResponse('not modified', headers)
  const after = Number(visit.url.searchParams.get('after'))
  const span = {
    since: Number.isSafeInteger(after) ? after + 1 : 0,
    until: visit.now + HOUR,
    name: '',
    choice: null,
  }
  const read = reportListRead(await viewOfSpan(visit, span), {
    states: null,
    noop: null,
    certname: visit.url.searchParams.get('certname') || null,
    cursor: null,
    limit: MOST,
  })
  const { items, next } = await readOne(visit.database, read)
  return jsonResponse(JSON.stringify({ runs: items.length, more: next !== null }), headers)
}
