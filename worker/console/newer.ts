/** Tells an open page whether newer runs arrived. Where they come seldom it mostly answers 304. */

import { createHash } from 'node:crypto'
import { emptyResponse, jsonResponse } from '../http/respond.ts'
import { HOUR } from '../lib/time.ts'
import { ALL_STATES } from '../schema/states.ts'
import { readOne } from '../store/batch-read.ts'
import { dataVersionRead } from '../insight/data-version.ts'
import { reportListRead } from '../insight/reports/report-list.ts'
import { viewOfSpan, type Visit } from './visit.ts'
import { filled } from './address.ts'

/** Counting stops here. */
const MOST = 100

/**
 * Responds 304 if no report arrived since the page was made, otherwise with the number of newer runs
 * that the page would show. For restricted readers the tag is a digest of that answer, because the version of the data
 * changes with reports that they may not see.
 *
 * @param known the tag from the page's `If-None-Match`
 */
export async function newerRuns(visit: Visit, known: string | null): Promise<Response> {
  const isRestricted = visit.reader.restrictions !== null
  const version = isRestricted ? null : await readOne(visit.database, dataVersionRead())
  if (version !== null && tagged(version) === known) return notModified(tagged(version))
  const text = JSON.stringify(await newerIn(visit))
  const tag = tagged(version ?? createHash('sha1').update(text).digest('base64url'))
  return tag === known ? notModified(tag) : jsonResponse(text, headersWith(tag))
}

const tagged = (version: string): string => `"${version}"`
const headersWith = (etag: string) => ({ etag, 'cache-control': 'private, no-cache' })
const notModified = (etag: string): Response => emptyResponse('not modified', headersWith(etag))

async function newerIn(visit: Visit): Promise<{ readonly runs: number }> {
  const after = Number(visit.url.searchParams.get('after'))
  const span = {
    since: Number.isSafeInteger(after) ? after + 1 : 0,
    until: visit.now + HOUR,
    name: '',
    choice: null,
  }
  const read = reportListRead(await viewOfSpan(visit, span), {
    ...ALL_STATES,
    certname: filled(visit.url.searchParams, 'certname'),
    cursor: null,
    limit: MOST,
  })
  const { items } = await readOne(visit.database, read)
  return { runs: items.length }
}
