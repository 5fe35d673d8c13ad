/** `GET /insight/v1/history/nodes/<certname>`: the runs of a node that the history holds, some files at a time. */

import { readRunsOfFiles } from '../../history/read-node.ts'
import type { ArchivedRow } from '../../history/group-rows.ts'
import { unreadablePaths } from '../../history/read-rows.ts'
import { readScope } from '../../insight/scope.ts'
import { QueryError } from '../../lib/errors.ts'
import { DAY, formatTimestamp } from '../../lib/time.ts'
import { readFilesOfNode, type FilePlace, type ReportsFile } from '../../store/history-places.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'

/** A month of a node that is in one part a day, with room for late parts, or three years of months. Each read is a megabyte at most. */
const MOST_FILES = 40
const LONGEST_MS = 2000

export async function nodeRuns(call: Call): Promise<Response> {
  const { databases, history } = call.var
  const certname = call.req.param('certname') ?? ''
  const { since: sinceText = '30d', until: untilText, cursor } = call.req.query()
  const { since, until } = readScope({ since: sinceText, until: untilText }, Date.now(), null)
  const database = databases.nearest()
  const parts = history
    ? await readFilesOfNode(database, certname, {
        days: [Math.floor(since / DAY), Math.floor((until - 1) / DAY)],
        from: placeOf(cursor),
        limit: MOST_FILES + 1,
      })
    : []
  const read = await readRunsOfFiles(history?.bucket, parts.slice(0, MOST_FILES), certname, {
    reads: Infinity,
    milliseconds: LONGEST_MS,
  })
  const runs = read.files.flatMap(({ path, rows }) =>
    rows.flatMap((run) => {
      const time = Number(run['producer_timestamp'])
      return time >= since && time < until ? [runOf(run, path)] : []
    }),
  )
  const files = read.files.length
  const unreadable = unreadablePaths(read)
  const next = parts[files]
  const answer = { certname, runs, files, unreadable, next: next ? cursorOf(next) : null }
  return objectResponse(answer, 'ok', costHeaders(call, database))
}

const cursorOf = ({ day, isDay, part }: ReportsFile): string => `${day}.${Number(isDay)}.${part}`

/** The place of a cursor. */
function placeOf(cursor: string | undefined): FilePlace {
  if (cursor === undefined) return [0, 0, 0]
  const [, day, isDay, part] = /^(\d{1,6})\.([01])\.(\d{1,6})$/.exec(cursor) ?? []
  if (day === undefined)
    throw new QueryError(`cursor can't be '${cursor}': expected the 'next' of the page before.`)
  return [Number(day), Number(isDay), Number(part)]
}

const timeOf = (value: unknown): string => formatTimestamp(Number(value))

const runOf = (run: ArchivedRow, file: string): object => {
  const { certname: _, producer_timestamp: time, start_time: start, end_time: end, ...rest } = run
  return {
    ...rest,
    event_count: Number(run['event_count']),
    producer_timestamp: timeOf(time),
    start_time: timeOf(start),
    end_time: timeOf(end),
    file,
  }
}
