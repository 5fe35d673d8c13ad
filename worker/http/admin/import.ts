/** `POST /admin/v1/archive`: carries out each entry of an archive as the command that it holds. */

import {
  commandAt,
  METADATA_PATH,
  readMetadata,
  type CommandVersions,
} from '../../archive/format.ts'
import { gunzip } from '../../archive/gzip.ts'
import { readTar, type TarEntry } from '../../archive/tar.ts'
import { log } from '../../lib/log.ts'
import { CommandError, QueryError, Unavailable } from '../../lib/errors.ts'
import { laterTurn } from '../../lib/turns.ts'
import { boundaryOf, fieldNamed } from './multipart.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'
import { linesResponse, LINES_TYPE } from '../stream.ts'
import {
  carryOutEntries,
  type EntryOutcome,
  type Importing,
  type ReadEntry,
} from './import-batch.ts'

/** Entries of a batch at most, and its share of the largest command in bytes: a batch must fit into memory as one does. */
const BATCH_ENTRIES = 100
const BATCH_SHARE = 0.5
/** Most refused entries that the response names; it counts the rest. */
const MOST_PROBLEMS = 100
/** Entries between two progress lines. */
const BETWEEN_SIGNS = 500

/** The outcome of the entries so far. */
interface Progress {
  entries: number
  /** New reports, and reports that were stored before. */
  stored: number
  duplicates: number
  /** Commands other than reports. */
  other: number
  /** Entries that aren't commands, such as a file that someone added. */
  ignored: number
  refused: number
  /** The number of the first entry that was left for another request; null at the archive's end. */
  next: number | null
  readonly problems: { readonly entry: string; readonly error: string }[]
}

/**
 * Imports an archive: the body, or its multipart field `archive` as PuppetDB's own client sends it.
 * The response names refused entries, which stop nothing. Importing again changes nothing, since
 * reports are identified by their hash. An import that has sent MAX_QUERIES statements stops, with `complete: false` and in
 * `next` the entry to go on from, by the parameter `from`. Clients that accept `application/x-ndjson` get progress line by
 * line, and in the last line the outcome or the error that ended the import.
 *
 * @throws CommandError for a body that isn't an archive, Unavailable where the database gives up
 */
export async function importArchive(call: Call): Promise<Response> {
  const { databases, principal, settings } = call.var
  const request = call.req.raw
  const database = databases.primary()
  const progress = noProgress()
  const from = firstEntryOf(call)
  const about = { database, principal, settings, received: Date.now() }
  const signs = carryOutAll(archiveIn(request), about, progress, from)
  if (request.headers.get('accept')?.includes(LINES_TYPE))
    return linesResponse(linesOf(signs), call.var.trace)
  for await (const sign of signs) log('info', { import: sign })
  return objectResponse(outcomeOf(progress), 'ok', costHeaders(call, database))
}

const noProgress = (): Progress => ({
  entries: 0,
  stored: 0,
  duplicates: 0,
  other: 0,
  ignored: 0,
  refused: 0,
  next: null,
  problems: [],
})

/** `ok` as in PuppetDB's answer; false where any entry was refused. */
const outcomeOf = ({ next, ...counts }: Progress) => ({
  ok: counts.refused === 0,
  ...(next === null ? {} : { complete: false, next }),
  ...counts,
})

async function* linesOf(signs: AsyncGenerator<object>): AsyncGenerator<string> {
  try {
    for await (const sign of signs) yield `${JSON.stringify(sign)}\n`
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof Unavailable)) throw error
    yield `${JSON.stringify({ ok: false, error: error.message })}\n`
  }
}

function archiveIn(request: Request): AsyncIterable<Uint8Array> {
  const bytes = (request.body ?? []) as AsyncIterable<Uint8Array>
  const boundary = boundaryOf(request.headers.get('content-type') ?? '')
  return boundary === null ? bytes : fieldNamed('archive', bytes, boundary)
}

/** Carries the entries out in batches, and yields progress now and then and the outcome at the end. */
async function* carryOutAll(
  archive: AsyncIterable<Uint8Array>,
  about: Omit<Importing, 'versions'>,
  progress: Progress,
  from: number,
): AsyncGenerator<object> {
  const mostBytes = about.settings.MAX_COMMAND_BYTES
  let versions: CommandVersions | null = null
  let batch: ReadEntry[] = []
  let number = 0
  /** Whether all of the batch was carried out. */
  const carryOutBatch = async (): Promise<boolean> => {
    const entries = batch
    batch = []
    const isFirst = progress.entries === from
    const outcomes = await carryOutEntries(entries, { ...about, versions: versions! }, isFirst)
    outcomes.forEach((outcome, index) => note(progress, entries[index]!.path, outcome))
    if (outcomes.length === entries.length) return true
    progress.next = entries[outcomes.length]!.number
    return false
  }
  try {
    for await (const entry of readTar(gunzip(archive))) {
      if (versions === null) {
        versions = await metadataOf(entry, mostBytes)
        continue
      }
      if (number++ < from) {
        progress.entries++
        continue
      }
      batch.push(await readEntry(entry, number - 1, mostBytes))
      if (!isFull(batch, mostBytes)) continue
      const before = progress.entries
      if (!(await carryOutBatch())) break
      await laterTurn()
      if (isSign(before, progress.entries)) yield countsOf(progress)
    }
    if (progress.next === null && batch.length > 0) await carryOutBatch()
  } catch (error) {
    throw interrupted(error, progress)
  }
  if (versions === null) throw new CommandError('The archive is empty.')
  yield outcomeOf(progress)
}

const isFull = (batch: readonly ReadEntry[], mostBytes: number): boolean =>
  batch.length === BATCH_ENTRIES ||
  batch.reduce((sum, { text }) => sum + (text?.length ?? 0), 0) >= mostBytes * BATCH_SHARE

const isSign = (before: number, now: number): boolean =>
  Math.floor(before / BETWEEN_SIGNS) < Math.floor(now / BETWEEN_SIGNS)

/** The number of the entry to begin with, from 0: `next` of an import that was not complete. @throws QueryError for none */
function firstEntryOf(call: Call): number {
  const from = call.req.query('from') ?? '0'
  if (!/^\d{1,9}$/.test(from)) {
    throw new QueryError(`from is the number of an entry, not '${from}'.`)
  }
  return Number(from)
}

const countsOf = ({ problems: _, next: __, ...counts }: Progress) => counts

/** Adds to an error that the entries imported before it stay imported. */
function interrupted(error: unknown, progress: Progress): unknown {
  const done = `${progress.entries} entries had been read, ${progress.stored} new reports are stored; importing again is safe.`
  if (error instanceof CommandError) return new CommandError(`${error.message} ${done}`)
  if (error instanceof Unavailable) {
    return new Unavailable(`The database is not available right now. ${done}`)
  }
  return error
}

async function metadataOf(entry: TarEntry, mostBytes: number): Promise<CommandVersions> {
  const content = entry.path === METADATA_PATH ? await entry.content(mostBytes) : null
  if (content === null) {
    throw new CommandError(
      `An archive begins with ${METADATA_PATH}, this one with ${JSON.stringify(entry.path)}.`,
    )
  }
  return readMetadata(content.toString())
}

async function readEntry(entry: TarEntry, number: number, mostBytes: number): Promise<ReadEntry> {
  const { path, size } = entry
  if (commandAt(path) === null) return { number, path, text: null, problem: null }
  const content = await entry.content(mostBytes)
  if (content !== null) return { number, path, text: content.toString(), problem: null }
  const problem = `it has ${size} bytes, at most ${mostBytes} are allowed`
  return { number, path, text: null, problem }
}

function note(progress: Progress, path: string, outcome: EntryOutcome): void {
  progress.entries++
  switch (outcome.kind) {
    case 'refused':
      progress.refused++
      if (progress.problems.length < MOST_PROBLEMS)
        progress.problems.push({ entry: path, error: outcome.reason })
      return
    case 'duplicate':
      progress.duplicates++
      return
    default:
      progress[outcome.kind]++
  }
}
