/** `npm run history`: asks the history of a folder by SQL, and takes nodes out of one in a folder or a bucket. */

import { resolve } from 'node:path'
import { typed } from '../../worker/local/commands.mjs'
import { wordsOrExit } from '../../worker/local/command-line.ts'
import { forgetNode } from './forget.ts'
import { HistoryError } from './history-error.ts'
import { folderStore, serviceStore, type HistoryStore } from './store.ts'
import { printAnswer } from './sql.ts'

const HELP = `${typed('history', 'COMMAND [options]')}

COMMAND is one of
  sql "select …"     asks DuckDB; reports, events, logs and metrics are tables with a column date
  forget CERTNAME    takes a node out of every file, and lists the files that were written anew

  --folder DIR       the folder of the history (./data/history)
  --service URL      forget in the history of this service instead, wherever it is: in a folder or a bucket
  --token TOKEN      a token of the service with the scope admin (or REPORT_SERVICE_TOKEN)
  --yes              forget at once; without it the files are only listed
  --help             this text

A bucket is asked by DuckDB itself (docs/how-to/keep-years-of-history.md).
Run forget while the service does not run, or after the node was deleted there.`

const WORDS = {
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: 'data/history' },
    service: { type: 'string' },
    token: { type: 'string' },
    yes: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
} as const
const { values, positionals } = wordsOrExit(WORDS, HELP)

const storeOf = (folder: string): HistoryStore =>
  values.service === undefined
    ? folderStore(folder)
    : serviceStore(values.service, values.token ?? process.env['REPORT_SERVICE_TOKEN'])

async function run(): Promise<void> {
  const [command, argument, ...others] = positionals
  if (values.help) return console.log(HELP)
  if (argument === undefined || others.length > 0)
    throw new HistoryError(`A command and its argument are needed.\n\n${HELP}`)
  const folder = resolve(values.folder)
  switch (command) {
    case 'sql':
      if (values.service !== undefined)
        throw new HistoryError('sql reads a folder. --service goes with forget.')
      return printAnswer(folder, argument)
    case 'forget':
      return forgetNode(storeOf(folder), argument, values.yes)
    default:
      throw new HistoryError(`Unknown command '${command}'.\n\n${HELP}`)
  }
}

try {
  await run()
} catch (error) {
  if (!(error instanceof Error)) throw error
  console.error(error.message)
  process.exitCode = error instanceof HistoryError ? 2 : 1
}
