/** `npm run backup` as a function: makes verified copies of database and history, whether or not the service runs, and checks them. */

import { resolve } from 'node:path'
import { HOUR } from '../../worker/lib/time.ts'
import { databaseOfBackup, makeBackup } from './backup-set.ts'
import { copyDatabase, type Copied } from '../../worker/local/backup/copy.ts'
import { fileSentence } from '../../worker/local/backup/database-file.ts'
import { exitCodeOf } from './exit-code.ts'
import { noteBackup } from '../../worker/local/backup/last-backup.ts'
import { requireElsewhere } from './own-folders.ts'
import { requireWhole, requireWholeHistory } from '../../worker/local/backup/require-whole.ts'
import { readWords } from '../../worker/local/command-line.ts'
import { typed } from '../../worker/local/commands.mjs'
import { StartError } from '../../worker/local/command-line.ts'

const HELP = `${typed('backup', 'FILE [--data DIR]')}
${typed('backup', '--into FOLDER [--keep N] [--data DIR]')}
${typed('backup', '--check PATH')}

  FILE           a copy of the database, which must not be there yet
  --into FOLDER  makes a backup of database and history in a folder named after the time
  --keep N       backups to keep in FOLDER once a newer one is good (7)
  --check PATH   checks a FILE, a backup or the newest of a FOLDER, its history included, and says how old it is
  --data DIR     folder that the database is kept in (./data)
  --help         this text

The service may run meanwhile: queries are answered, reports wait until the files are copied. Each copy is verified: its
pages, and that every index has every row. A damaged one is refused, and no backup is removed for it. Files of the history
are hard links where the disk allows it: damage to one is damage to both. --check reads them all.

Ends with 0 where the backup is good, 1 where the database or the backup is damaged or can't be written, 2 for wrong words,
4 where DIR has no database.`

const WORDS = {
  allowPositionals: true,
  options: {
    data: { type: 'string', default: 'data' },
    into: { type: 'string' },
    keep: { type: 'string', default: '7' },
    check: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
} as const

/**
 * Makes or checks a backup as these words say, and prints what became of it.
 *
 * @param root folder of the project @param words as they stand after the command @returns the exit code
 */
export const backupCommand = (root: string, words: readonly string[]): Promise<number> =>
  exitCodeOf(() => backUp(root, words))

async function backUp(root: string, words: readonly string[]): Promise<void> {
  const { values, positionals } = readWords(WORDS, HELP, words)
  const [file, ...others] = positionals
  if (values.help) return console.log(HELP)
  const meant = [file, values.into, values.check].filter((word) => word !== undefined)
  if (meant.length !== 1 || others.length > 0)
    throw new StartError(
      `Name the file to write, --into a folder, or --check a backup.\n\n${HELP}`,
      2,
    )
  if (values.check !== undefined) return check(root, resolve(values.check))
  const data = resolve(values.data)
  await requireElsewhere(data, resolve(values.into ?? file!))
  if (values.into !== undefined)
    return backUpInto(root, data, resolve(values.into), keepOf(values.keep))
  const path = resolve(file!)
  const copied = await copyDatabase(data, path, async (draft) => {
    await requireWhole(root, draft, `The database in ${data}`)
  })
  await note(data, path, new Date())
  console.log(`${path}: ${sizeOf(copied)}`)
}

async function backUpInto(root: string, data: string, folder: string, keep: number): Promise<void> {
  const now = new Date()
  const made = await makeBackup(root, data, folder, keep, now)
  await note(data, made.path, now)
  const older = made.removed === 0 ? '' : ` Removed ${made.removed} older ones.`
  console.log(`${made.path}: ${sizeOf(made)} Files of the history: ${made.files}.${older}`)
}

/** A full disk of the service must not make a backup elsewhere look failed. */
async function note(data: string, path: string, made: Date): Promise<void> {
  try {
    await noteBackup(data, path, made)
  } catch (error) {
    console.error(
      `${fileSentence(error as Error, data)} The backup is good, but /metrics and the start won't know it.`,
    )
  }
}

async function check(root: string, path: string): Promise<void> {
  const { file, history, made } = await databaseOfBackup(path)
  const { reports, migrations } = await requireWhole(root, file, file)
  await requireWholeHistory(history)
  const hours = ((Date.now() - made.getTime()) / HOUR).toFixed(1)
  console.log(
    `${file} is good: ${reports} reports, made ${hours} h ago by the migrations up to ${migrations!.at(-1)}.`,
  )
}

function keepOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new StartError(`--keep takes a number from 1 to 9999, not '${text}'.`, 2)
  return Number(text)
}

function sizeOf({ bytes, heldMilliseconds }: Copied): string {
  const held =
    heldMilliseconds === null
      ? 'No service was running.'
      : `Reports waited for ${(heldMilliseconds / 1000).toFixed(1)} s.`
  return `${(bytes / 1e6).toFixed(1)} MB. ${held}`
}
