/** `POST /admin/v1/archive`: carries out each entry of an archive as the command that it holds. */

import {
  commandAt,
  METADATA_PATH,
  readMetadata,
  type CommandVersions,
  type EntryCommand,
} from '../../archive/format.ts'
import { gunzip } from '../../archive/gzip.ts'
import { readTar, type TarEntry } from '../../archive/tar.ts'
import { log } from '../../lib/log.ts'
import type { Principal } from '../../access/principal.ts'
import { CommandError, QueryError, Unavailable } from '../../lib/errors.ts'
import { readCommand } from '../../report/command.ts'
import type { Settings } from '../../schema/settings.ts'
import type { Database } from '../../store/database.ts'
import { boundaryOf, fieldNamed } from './multipart.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'
import { linesResponse, LINES_TYPE } from '../stream.ts'
import { admitAll, carryOut } from '../commands/submit.ts'

/** Entries that are carried out at a time: D1 gives a request this many connections. */
const AT_A_TIME = 6
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
  /** Entries that are no command, such as a file that someone added. */
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
 * @throws CommandError for a body that is no archive, Unavailable where the database gives up
 */
export async function importArchive(call: Call): Promise<Response> {
  const { databases, principal, settings } = call.var
  const request = call.req.raw
  const database = databases.primary()
  const progress = noProgress()
  const from = firstEntryOf(call)
  const about = { database, principal, settings, received: Date.now(), progress, from }
  const signs = carryOutAll(archiveIn(request), settings.MAX_COMMAND_BYTES, about)
  if (request.headers.get('accept')?.includes(LINES_TYPE)) return linesResponse(linesOf(signs))
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

/** Carries the entries out in rounds, and yields progress now and then and the outcome at the end. */
async function* carryOutAll(
  archive: AsyncIterable<Uint8Array>,
  mostBytes: number,
  about: Import,
): AsyncGenerator<object> {
  const { progress } = about
  let round: CommandEntry[] = []
  let versions: CommandVersions | null = null
  const carryOutRound = async (): Promise<void> => {
    const commands = round
    round = []
    const outcomes = commands.map((sent) => carryOutEntry(sent, versions!, about))
    // If one of the round fails, the outcomes of the others still count.
    await Promise.allSettled(outcomes)
    await Promise.all(outcomes)
  }
  try {
    for await (const entry of readTar(gunzip(archive))) {
      if (versions === null) {
        versions = await metadataOf(entry, mostBytes)
        continue
      }
      if (progress.entries < about.from) {
        progress.entries++
        continue
      }
      const text = await textOf(entry, mostBytes, progress)
      if (text !== null) round.push({ path: entry.path, text })
      if (round.length >= Math.max(1, roomFor(about))) {
        await carryOutRound()
        await letOthersRun()
        if (roomFor(about) === 0) {
          progress.next = progress.entries
          break
        }
      }
      if (progress.entries % BETWEEN_SIGNS === 0) yield countsOf(progress)
    }
    await carryOutRound()
  } catch (error) {
    throw interrupted(error, progress)
  }
  if (versions === null) throw new CommandError('The archive is empty.')
  yield outcomeOf(progress)
}

/** Statements of a report with everything that it can have but long bodies. */
const MOST_STATEMENTS_OF_REPORT = 15

/** How many entries the request may still carry out at once. */
function roomFor({ database, settings: { MAX_QUERIES } }: Import): number {
  if (MAX_QUERIES === 0) return AT_A_TIME
  const left = MAX_QUERIES - database.usage.statements
  return Math.min(AT_A_TIME, Math.max(0, Math.floor(left / MOST_STATEMENTS_OF_REPORT)))
}

/** The number of the entry to begin with, from 0: `next` of an import that was not complete. @throws QueryError for none */
function firstEntryOf(call: Call): number {
  const from = call.req.query('from') ?? '0'
  if (!/^\d{1,9}$/.test(from)) {
    throw new QueryError(`from is the number of an entry, not '${from}'.`)
  }
  return Number(from)
}

/** Without a pause an import would keep a local workerd from accepting other requests. */
const letOthersRun = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

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

/** The text of a command's entry; null for other entries, and for one that is too large, which is refused. */
async function textOf(
  entry: TarEntry,
  mostBytes: number,
  progress: Progress,
): Promise<string | null> {
  progress.entries++
  if (commandAt(entry.path) === null) {
    progress.ignored++
    return null
  }
  const content = await entry.content(mostBytes)
  if (content !== null) return content.toString()
  refuse(progress, entry.path, `it has ${entry.size} bytes, at most ${mostBytes} are allowed`)
  return null
}

function refuse(progress: Progress, entry: string, error: string): void {
  progress.refused++
  if (progress.problems.length < MOST_PROBLEMS) progress.problems.push({ entry, error })
}

/** An entry that is a command. */
interface CommandEntry {
  readonly path: string
  readonly text: string
}

interface Import {
  readonly database: Database
  readonly principal: Principal
  readonly settings: Settings
  /** In ms. */
  readonly received: number
  readonly progress: Progress
  /** The number of the first entry to carry out. */
  readonly from: number
}

async function carryOutEntry(
  { path, text }: CommandEntry,
  versions: CommandVersions,
  { database, principal, settings, received, progress }: Import,
): Promise<void> {
  const { command, certname } = commandAt(path)!
  try {
    const parameters = parametersOf(command, certname, versions)
    const outcome = await carryOut(readCommand(parameters, text), received, database, {
      principal,
      settings,
      admit: admitAll,
    })
    if (command !== 'store_report') progress.other++
    else if (outcome.duplicate) progress.duplicates++
    else progress.stored++
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    refuse(progress, path, error.message)
  }
}

const parametersOf = (
  command: EntryCommand,
  certname: string,
  versions: CommandVersions,
): [string, string][] => [
  ['command', command],
  ['certname', certname],
  ['version', String(versions[command])],
]
