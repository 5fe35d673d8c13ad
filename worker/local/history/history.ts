/** `npm run history`: asks the history of a folder by SQL, and takes nodes out of it. */

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { forgetNode } from './forget.ts'
import { HistoryError } from './history-error.ts'
import { printAnswer } from './sql.ts'

const HELP = `npm run history -- COMMAND [options]

COMMAND is one of
  sql "select …"     asks DuckDB; reports, events, logs and metrics are tables with a column date
  forget CERTNAME    takes a node out of every file, and lists the files that were written anew

  --folder DIR       the folder of the history (./data/history)
  --yes              forget at once; without it the files are only listed
  --help             this text

A bucket is asked by DuckDB itself, or is copied to a folder and back (docs/history.md).
Run forget while the service does not run, or after the node was deleted there.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: 'data/history' },
    yes: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

async function run(): Promise<void> {
  const [command, argument, ...others] = positionals
  if (values.help) return console.log(HELP)
  if (argument === undefined || others.length > 0)
    throw new HistoryError(`A command and its argument are needed.\n\n${HELP}`)
  const folder = resolve(values.folder)
  switch (command) {
    case 'sql':
      return printAnswer(folder, argument)
    case 'forget':
      return forgetNode(folder, argument, values.yes)
    default:
      throw new HistoryError(`There is no command '${command}'.\n\n${HELP}`)
  }
}

try {
  await run()
} catch (error) {
  if (!(error instanceof Error)) throw error
  console.error(error.message)
  process.exitCode = error instanceof HistoryError ? 2 : 1
}
