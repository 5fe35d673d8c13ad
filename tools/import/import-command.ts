/** `npm run import` as a function. */

import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { typed } from '../../worker/local/commands.mjs'
import { CommandError } from '../../worker/lib/errors.ts'
import { readAddress, readWords, StartError } from '../../worker/local/command-line.ts'
import { queryService } from '../query-service.ts'
import { archiveSource } from './archive.ts'
import { folderSource } from './folder.ts'
import { historySource } from './history.ts'
import { Journal } from './journal.ts'
import { Progress } from './progress.ts'
import { puppetdbSource } from './puppetdb.ts'
import { readSelection } from './selection.ts'
import { send } from './send.ts'
import { ImportError, type Item, type ReportSource } from './source.ts'

const HELP = `${typed('import', 'SOURCE [options]')}

SOURCE is one of
  a folder       puppetserver's stored reports, such as /opt/puppetlabs/server/data/puppetserver/reports
  a folder       of this service's history, such as ./data/history
  a file         an archive that \`puppet db export\` wrote
  an address     a PuppetDB that runs, such as https://puppetdb.example.com:8081

  --to URL       the service (http://127.0.0.1:8787)
  --token TOKEN  a token with the scope admin, which no limit slows down, or submit (or REPORT_SERVICE_TOKEN)
  --since WHEN   reports from this time on, such as 2026-11-01, or of this age, such as 14d
  --until WHEN   reports before this time, or older than this age
  --certname NAME   reports of this node; * matches anything, and the option may be repeated
  --parallel N   reports that are under way at a time (8)
  --cert FILE --key FILE --cacert FILE   certificates for a PuppetDB that asks for them
  --help         this text

It may be interrupted and started again: it continues where it ended, and nothing is stored twice.
Ends with 0 where everything was taken, 1 where reports were refused, 2 where the import ended before its time.`

const WORDS = {
  allowPositionals: true,
  options: {
    to: { type: 'string', default: 'http://127.0.0.1:8787' },
    token: { type: 'string' },
    parallel: { type: 'string', default: '8' },
    since: { type: 'string' },
    until: { type: 'string' },
    certname: { type: 'string', multiple: true },
    cert: { type: 'string' },
    key: { type: 'string' },
    cacert: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
} as const
const readOptions = (words: readonly string[]) => readWords(WORDS, HELP, words)
type Options = ReturnType<typeof readOptions>['values']

/**
 * Imports from the SOURCE of these words, and prints what became of it.
 *
 * @param words as they stand after the command
 * @param folder that paths are relative to, and that keeps the journal of an interrupted import
 * @returns the exit code
 */
export async function importCommand(words: readonly string[], folder: string): Promise<number> {
  try {
    const { values, positionals } = readOptions(words)
    const [place, ...others] = positionals
    if (values.help) {
      console.log(HELP)
      return 0
    }
    if (place === undefined || others.length > 0)
      throw new ImportError(`One SOURCE is needed.\n\n${HELP}`)
    return await importFrom(place, folder, values)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isExpected = [ImportError, CommandError, StartError].some((kind) => error instanceof kind)
    console.error(isExpected ? error.message : `The import has ended: ${error.message}`)
    return 2
  }
}

async function sourceAt(place: string, folder: string, values: Options): Promise<ReportSource> {
  const selection = readSelection(values, Date.now())
  // The token is for the service only.
  if (/^https?:/.test(place))
    return puppetdbSource(
      await queryService(readAddress('SOURCE', place), { ...values, token: undefined }),
      selection,
    )
  const path = resolve(folder, place)
  const found = await stat(path).catch(() => null)
  if (found === null) throw new ImportError(`There is no file or folder '${place}'.`)
  if (!found.isDirectory()) return archiveSource(path, selection)
  return existsSync(join(path, 'reports'))
    ? historySource(path, selection)
    : folderSource(path, selection)
}

/** @returns the exit code */
async function importFrom(place: string, folder: string, values: Options): Promise<number> {
  const parallel = Number(values.parallel)
  if (!/^\d+$/.test(values.parallel) || parallel < 1) {
    throw new ImportError(`--parallel takes a number from 1 on, not '${values.parallel}'.`)
  }
  readAddress('--to', values.to)
  const source = await sourceAt(place, folder, values)
  const { since, until, certname } = values
  const journal = await Journal.open(folder, place, values.to, { since, until, certname })
  const progress = new Progress(source.total)
  for (const { name, reason } of journal.refused) progress.refuse(name, reason)
  const items = source
    .items((name) => {
      const wanted = !journal.has(name)
      if (!wanted) progress.skipped++
      return wanted
    })
    [Symbol.asyncIterator]()
  const ending = new AbortController()
  const interruption = interruptedBy(ending)
  const takeAll = async (): Promise<void> => {
    for (
      let next = await items.next();
      !next.done && !ending.signal.aborted;
      next = await items.next()
    ) {
      await take(next.value, journal, progress, values, ending.signal)
    }
  }
  // Of what fails the first counts: the others end because of it.
  const failures: unknown[] = []
  const takers = Array.from({ length: parallel }, () =>
    takeAll().catch((error: unknown) => {
      failures.push(error)
      ending.abort()
    }),
  )
  await Promise.all(takers)
  await journal.close()
  interruption.unwatch()
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  console.log(progress.summary())
  if (interruption.begun) {
    throw new ImportError('The import was interrupted. The same command continues where it ended.')
  }
  if (failures.length > 0) throw failures[0]
  await journal.remove()
  return progress.refused === 0 ? 0 : 1
}

/** Ends the import at the first signal, after the requests under way; a second one ends the process. */
function interruptedBy(ending: AbortController) {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const interruption = {
    begun: false,
    unwatch: () => signals.forEach((signal) => process.off(signal, interrupt)),
  }
  const interrupt = (): void => {
    interruption.begun = true
    interruption.unwatch()
    ending.abort()
  }
  for (const signal of signals) process.once(signal, interrupt)
  return interruption
}

async function take(
  item: Item,
  journal: Journal,
  progress: Progress,
  values: Options,
  signal: AbortSignal,
): Promise<void> {
  const token = values.token ?? process.env['REPORT_SERVICE_TOKEN']
  const outcome = await send(item, values.to, token, signal)
  progress.read++
  if (outcome.kind === 'refused') progress.refuse(item.name, outcome.reason)
  else progress[outcome.kind]++
  await journal.add(item.name, outcome.kind === 'refused' ? outcome.reason : null)
  progress.show(process.stderr)
}
