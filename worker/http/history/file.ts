/**
 * `GET /admin/v1/history/<path>`: a file of the history, whole or a range of it, for engines without access to the bucket.
 * Without a path, the list of its files, and apart from them those that hold the same rows while a month is compacted.
 */

import {
  listFiles,
  pathOf,
  readPath,
  type HistoryBucket,
  type HistoryFile,
} from '../../history/bucket.ts'
import { recordReader, readPending, wholeFiles } from '../../history/compaction.ts'
import { NotFound } from '../../lib/errors.ts'
import { percentDecoded } from '../../lib/percent.ts'
import type { Call } from '../context.ts'
import { HISTORY_TABLE_NAMES } from '../../schema/history-tables.ts'
import { emptyResponse, objectResponse, respond } from '../respond.ts'

const PREFIX = '/admin/v1/history/'
const TYPE = 'application/vnd.apache.parquet'

/** The path in the history that an address names. */
export function historyPath(call: Call): string {
  const { pathname } = new URL(call.req.url)
  return percentDecoded(pathname.slice(pathname.indexOf(PREFIX) + PREFIX.length))
}

async function fileList(bucket: HistoryBucket): Promise<Response> {
  const files = await Promise.all(
    HISTORY_TABLE_NAMES.map((table) => listFiles(bucket, `${table}/`)),
  )
  const whole = wholeFiles(files.flat(), await readPending(recordReader(bucket)))
  const rowOf = (file: HistoryFile) => ({ path: pathOf(file), bytes: file.bytes })
  return objectResponse({
    files: whole.map(rowOf),
    duplicates: files
      .flat()
      .filter((file) => !whole.includes(file))
      .map(rowOf),
  })
}

export async function historyFile(call: Call): Promise<Response> {
  const path = historyPath(call)
  const bucket = call.var.history?.bucket
  if (path === '' && bucket) return fileList(bucket)
  // The size first, which a range from the end needs.
  const first = readPath(path) && (await bucket?.get(path, { range: { offset: 0, length: 1 } }))
  if (!bucket || !first) throw new NotFound('file of the history', path)
  await first.arrayBuffer()
  const { size } = first
  const shared = { 'content-type': TYPE, 'accept-ranges': 'bytes' }
  const asked = call.req.header('range')
  const range = asked === undefined ? { offset: 0, length: size } : rangeOf(asked, size)
  if (range === null) {
    return emptyResponse('range not satisfiable', { ...shared, 'content-range': `bytes */${size}` })
  }
  const { offset, length } = range
  const headers = {
    ...shared,
    'content-length': String(length),
    ...(asked !== undefined && {
      'content-range': `bytes ${offset}-${offset + length - 1}/${size}`,
    }),
  }
  const status = asked === undefined ? 'ok' : 'partial content'
  // An engine asks for the size first, and doesn't take the bytes of that answer.
  if (call.req.method === 'HEAD') return emptyResponse(status, headers)
  const object = await bucket.get(path, { range })
  if (!object) throw new NotFound('file of the history', path)
  return respond(object.body, headers, status)
}

const RANGE = /^bytes=(\d*)-(\d*)$/

/** The range of a header, as RFC 9110 has it; null where it has no byte of the file. Of several ranges none is served. */
function rangeOf(header: string, size: number): { offset: number; length: number } | null {
  const [, from = '', to = ''] = RANGE.exec(header) ?? []
  if (from === '' && to === '') return null
  const offset = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return offset > end ? null : { offset, length: end - offset + 1 }
}
