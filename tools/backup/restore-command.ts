/** `npm run restore` as a function: replaces the database with a backup. */

import { resolve } from 'node:path'
import { exitCodeOf } from './exit-code.ts'
import { historyProblems } from '../../worker/local/backup/history-list.ts'
import { problemLines } from '../../worker/local/backup/require-whole.ts'
import { planRestore, restoreDatabase } from './restore-database.ts'
import { readWords } from '../../worker/local/command-line.ts'
import { typed } from '../../worker/local/commands.mjs'
import { StartError } from '../../worker/local/command-line.ts'

const HELP = `${typed('restore', 'PATH [--data DIR] [--dry-run]')}

  PATH         a file or a folder that ${typed('backup')} has made; of a folder of backups, the newest
  --data DIR   folder that the database is kept in (./data)
  --dry-run    checks the backup and says what would be done
  --help       this text

Stop the service first. The earlier database is kept in a folder beside it. Files of the history that the folder lacks come
back with the backup; those that are there stay, and missing or damaged ones of the backup are named.`

const WORDS = {
  allowPositionals: true,
  options: {
    data: { type: 'string', default: 'data' },
    'dry-run': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
} as const

/**
 * Restores a backup as these words say, and prints what became of it.
 *
 * @param root folder of the project @param words as they stand after the command @returns the exit code
 */
export const restoreCommand = (root: string, words: readonly string[]): Promise<number> =>
  exitCodeOf(() => restore(root, words))

async function restore(root: string, words: readonly string[]): Promise<void> {
  const { values, positionals } = readWords(WORDS, HELP, words)
  const [path, ...others] = positionals
  if (values.help) return console.log(HELP)
  if (path === undefined || others.length > 0)
    throw new StartError(`Name the backup to restore.\n\n${HELP}`, 2)
  const data = resolve(values.data)
  const plan = await planRestore(root, resolve(path), data, new Date())
  const { bytes, reports, release, file, earlier, isLogOnly, lost } = plan
  console.log(
    `${file} is good: ${reports} reports, ${(bytes / 1e6).toFixed(1)} MB, made by the migrations up to ${release}.`,
  )
  const what = isLogOnly ? 'log of a database' : 'database'
  const problems = plan.history === null ? [] : await historyProblems(plan.history)
  if (problems.length > 0)
    console.log(`The history in ${plan.history} is damaged:${problemLines(problems)}`)
  if (lost !== null)
    console.log(
      `The database in ${data} lacks ${lost}: its log was damaged or removed. The backup may lack them too.`,
    )
  if (values['dry-run']) {
    const moved =
      earlier === null ? 'which has no database' : `whose ${what} would move to ${earlier}`
    return console.log(`Nothing was changed. It would be put into ${data}, ${moved}.`)
  }
  const { files, lacking } = await restoreDatabase(plan, data)
  console.log(
    `${data} holds it now${files === 0 ? '' : `, and ${files} files of the history that it lacked`}.`,
  )
  for (const month of lacking)
    console.log(
      `The backup has more reports of ${month} than the history in ${data}, which stays as it is: one has the month, the other its days. To take the backup's, move the folder's files of ${month} elsewhere, and restore again.`,
    )
  if (earlier !== null)
    console.log(`The earlier ${what} is in ${earlier}. Remove it once all is well.`)
}
