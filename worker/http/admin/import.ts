/** `POST /admin/v1/archive`: each entry of an archive becomes its command, as if it had been sent alone. */

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
import { CommandError, Unavailable } from '../../lib/errors.ts'
import { readCommand } from '../../report/command.ts'
import type { Settings } from '../../schema/settings.ts'
import type { Database } from '../../store/database.ts'
import { boundaryOf, fieldNamed } from './multipart.ts'
import type { Call } from '../context.ts'
import { costHeaders } from '../cost-headers.ts'
import { objectResponse } from '../respond.ts'
import { linesResponse, LINES_TYPE } from '../stream.ts'
import { admitAll, carryOut } from '../commands/submit.ts'

/** Entries that are carried out at a time: as many connections as D1 gives one request. */
const AT_A_TIME = 6
/** Entries that are named with what is wrong with them; the rest is counted. */
const MOST_PROBLEMS = 100
/** Entries between two signs of progress. */
const BETWEEN_SIGNS = 500

/** What has become of the entries so far. */
interface Progress {
  entries: number
  /** Reports that were not there before, and those that were. */
  stored: number
  duplicates: number
  /** Commands other than reports. */
  other: number
  /** Entries that are no command of an archive, such as a file somebody added. */
  ignored: number
  refused: number
  readonly problems: { readonly entry: string; readonly error: string }[]
}

/**
 * Imports an archive: the body, or its multipart field `archive` as PuppetDB's own client sends it.
 * A bad entry is named and stops nothing; importing again changes nothing, as reports are known by
 * their hash. Whoever accepts `application/x-ndjson` is told the progress line by line, and the
 * outcome, or what ended the import, in the last one.
 *
 * @throws CommandError for a body that is no archive, Unavailable where the database gives up
 */
export async function importArchive(call: Call): Promise<Response> {
  const { databases, principal, settings } = call.var
  const request = call.req.raw
  const database = databases.primary()
  const progress = noProgress()
  const about = { database, principal, settings, received: Date.now(), progress }
  const signs = carryOutAll(archiveIn(request), settings.MAX_COMMAND_BYTES, about)
  if (request.headers.get('accept')?.includes(LINES_TYPE)) return linesResponse(linesOf(signs))
  for await (const sign of signs) log('info', { import: sign })
  return objectResponse(outcomeOf(progress), 'ok', costHeaders(database))
}

const noProgress = (): Progress => ({
  entries: 0,
  stored: 0,
  duplicates: 0,
  other: 0,
  ignored: 0,
  refused: 0,
  problems: [],
})

/** `ok` as in PuppetDB's answer; false where any entry was refused. */
const outcomeOf = (progress: Progress) => ({ ok: progress.refused === 0, ...progress })

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

/** Carries the entries out in rounds, and gives a sign of progress now and then and at the end. */
async function* carryOutAll(
  archive: AsyncIterable<Uint8Array>,
  mostBytes: number,
  about: Import,
): AsyncGenerator<object> {
  const { progress } = about
  let round: Sent[] = []
  let versions: CommandVersions | null = null
  const carryOutRound = async (): Promise<void> => {
    const commands = round
    round = []
    const outcomes = commands.map((sent) => carryOutEntry(sent, versions!, about))
    // What the others of the round come to counts too where one of them fails.
    await Promise.allSettled(outcomes)
    await Promise.all(outcomes)
  }
  try {
    for await (const entry of readTar(gunzip(archive))) {
      if (versions === null) {
        versions = await metadataOf(entry, mostBytes)
        continue
      }
      const text = await textOf(entry, mostBytes, progress)
      if (text !== null) round.push({ path: entry.path, text })
      if (round.length === AT_A_TIME) {
        await carryOutRound()
        await othersTurn()
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

/** An import that always has something to do would keep a local workerd from taking other requests. */
const othersTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

const countsOf = ({ problems: _, ...counts }: Progress) => counts

/** What was imported before an error stays imported, which whoever reads the error should know. */
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

/** The text of an entry that is a command; null for any other, and for one that is too large, which is noted. */
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
  refuse(progress, entry.path, `it has ${entry.size} bytes, of which ${mostBytes} can be taken`)
  return null
}

function refuse(progress: Progress, entry: string, error: string): void {
  progress.refused++
  if (progress.problems.length < MOST_PROBLEMS) progress.problems.push({ entry, error })
}

/** An entry that is a command. */
interface Sent {
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
}

async function carryOutEntry(
  { path, text }: Sent,
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
