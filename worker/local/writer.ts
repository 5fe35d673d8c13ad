/** Starts the process of workerd that writes, with the database of the code's version. */

import { shellWord, typed } from './commands.mjs'
import type { SocketName } from './host/configuration.ts'
import { startRuntime, type Runtime } from './host/runtime.ts'
import type { AdminRequest } from './host/unix-request.ts'
import { databaseDifferences, differencesSentence, type FoundDatabase } from './schema.ts'
import {
  copyBeforeUpgrade,
  requireNoFuture,
  upgradeSentence,
  type MigrationState,
} from './upgrade.ts'

interface WriterOptions extends Omit<Preparation, 'onPrepared'> {
  readonly runFolder: string
  readonly dataFolder: string
  readonly sockets: readonly SocketName[]
  readonly settings: Readonly<Record<string, string>>
  /** Tells the process what it needs to know; the last step before it is given requests. */
  readonly tell: () => Promise<unknown>
  readonly onLine: (line: string) => void
}

/** @throws Error where the process or its database can't be used */
export async function startWriter(options: WriterOptions, signal: AbortSignal): Promise<Runtime> {
  const { root, runFolder, dataFolder, sockets, settings, tell, onLine } = options
  const lines: string[] = []
  let isPrepared = false
  const runtime = await startRuntime({
    ...{ root, runFolder, sockets, environment: settings, signal },
    onLine(line) {
      if (!isPrepared) lines.push(line)
      onLine(line)
    },
  })
  try {
    await prepareDatabase({ ...options, onPrepared: () => (isPrepared = true) })
    await Promise.race([tell(), runtime.ended])
  } catch (error) {
    await runtime.stop(0)
    const trouble = databaseTrouble(lines, dataFolder)
    throw trouble === null ? error : new Error(trouble)
  }
  return runtime
}

interface Preparation {
  /** Folder of the project. */
  readonly root: string
  /** Folder of the database; null for a temporary one, of which no copy is kept. */
  readonly data: string | null
  /** Names of the code's migrations. */
  readonly migrations: readonly string[]
  /** Whether a database is used that is not as the migrations make it. */
  readonly anySchema: boolean
  readonly administer: AdminRequest
  /** Called once all migrations are applied. */
  readonly onPrepared: () => void
  /** Called with a sentence about an upgrade. */
  readonly onChange: (sentence: string) => void
}

/** Keeps a copy where migrations are missing, and applies them. @throws Error for a later release's database, or another schema */
async function prepareDatabase(preparation: Preparation): Promise<void> {
  const { root, data, migrations, anySchema, administer, onPrepared, onChange } = preparation
  const state = JSON.parse(await administer('/migrations')) as MigrationState
  if (!anySchema) requireNoFuture(state, migrations)
  const copy = data === null ? null : await copyBeforeUpgrade(root, data, state)
  const found = await administer('/prepare')
  onPrepared()
  if (data !== null && copy !== null) onChange(upgradeSentence(state.missing, copy, data))
  if (!anySchema) await requireSchema(root, found)
}

/** @throws Error naming what differs between the database and what the code's migrations make */
async function requireSchema(root: string, found: string): Promise<void> {
  const differences = await databaseDifferences(root, JSON.parse(found) as FoundDatabase)
  if (differences.length > 0) throw new Error(differencesSentence(differences))
}

const SENTENCES: Readonly<Record<string, (data: string) => string>> = {
  NOTADB: damaged,
  CORRUPT: damaged,
  CANTOPEN: (data) => `The database in ${data} can't be opened.`,
  IOERR: (data) => `The disk that holds ${data} fails: it can be neither read nor written safely.`,
  FULL: (data) => `The disk that holds ${data} is full. Make room, then start the service again.`,
  READONLY: (data) => `The database in ${data} can't be written.`,
}

function damaged(data: string): string {
  return `The database in ${data} is damaged. Restore a backup: ${typed('restore', `FILE --data ${shellWord(data)}`)}`
}

/** A line of the runtime with a result code of SQLite. The Worker's own lines are JSON and may hold words of clients. */
const CODE = /^workerd\/.* SQLITE_([A-Z]+)/

/**
 * Why the runtime can't open the database: its answer is "internal error", and only its log has SQLite's result code.
 *
 * @returns a sentence for the first line that gives a reason; null if none does
 */
function databaseTrouble(lines: readonly string[], data: string): string | null {
  for (const line of lines) {
    const sentence = SENTENCES[CODE.exec(line)?.[1] ?? '']
    if (sentence !== undefined) return sentence(data)
  }
  return null
}
