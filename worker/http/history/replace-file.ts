/**
 * `PUT` and `DELETE /admin/v1/history/<path>`: puts a file with fewer rows in the place of one of the history, or deletes it.
 * `npm run history -- forget` takes nodes out with them, so that a bucket needs no separate keys.
 */

import { readPath, type HistoryBucket } from '../../history/bucket.ts'
import { countParquetRows } from '../../history/part-hashes.ts'
import { CommandError, NotFound, Refused } from '../../lib/errors.ts'
import type { Call } from '../context.ts'
import { emptyResponse } from '../respond.ts'
import { historyPath } from './file.ts'

/** A file of one table of a part: the archive ends a part at 16 MB of all tables and a row group. */
const MOST_BYTES = 32_000_000

export async function replaceHistoryFile(call: Call): Promise<Response> {
  const { bucket, path, rows } = await existing(call)
  const length = Number(call.req.header('content-length') ?? NaN)
  if (!(length <= MOST_BYTES))
    throw new Refused('too large', `A file of the history has at most ${MOST_BYTES} bytes.`)
  const bytes = new Uint8Array(await call.req.arrayBuffer())
  const kept = rowsOf(path, bytes)
  if (kept === null)
    throw new CommandError("The body isn't a Parquet file that this service wrote.")
  if (kept === 0 || kept > rows)
    throw new CommandError(
      `The file has ${rows} rows, and the body ${kept}: rows can only be taken out of the history. DELETE takes out all.`,
    )
  await bucket.put(path, bytes)
  return emptyResponse('no content')
}

export async function deleteHistoryFile(call: Call): Promise<Response> {
  const { bucket, path } = await existing(call)
  await bucket.delete([path])
  return emptyResponse('no content')
}

/** @throws NotFound */
async function existing(
  call: Call,
): Promise<{ readonly bucket: HistoryBucket; readonly path: string; readonly rows: number }> {
  const path = historyPath(call)
  const bucket = call.var.history?.bucket
  const object = readPath(path) && (await bucket?.get(path))
  if (!bucket || !object) throw new NotFound('file of the history', path)
  return { bucket, path, rows: rowsOf(path, new Uint8Array(await object.arrayBuffer())) ?? 0 }
}

function rowsOf(path: string, bytes: Uint8Array): number | null {
  try {
    return countParquetRows(path, bytes)
  } catch {
    // A footer of other bytes leads anywhere.
    return null
  }
}
