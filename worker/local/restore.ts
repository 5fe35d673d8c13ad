/** `npm run restore`: puts a backup in the place of the database. */

import { resolve } from 'node:path'
import { fileSentence } from './backup/database-file.ts'
import { restoreDatabase } from './backup/restore.ts'
import { wordsOrExit } from './command-line.ts'
import { StartError } from './options.ts'

const HELP = `npm run restore -- FILE [--data DIR]

  FILE         a copy that npm run backup has made
  --data DIR   folder that the database is kept in (./data)
  --help       this text

Stop the service before. The earlier database is kept in a folder beside it.`

const WORDS = {
  allowPositionals: true,
  options: {
    data: { type: 'string', default: 'data' },
    help: { type: 'boolean', short: 'h', default: false },
  },
} as const

async function restore(): Promise<void> {
  const { values, positionals } = wordsOrExit(WORDS, HELP)
  const [file, ...others] = positionals
  if (values.help) return console.log(HELP)
  if (file === undefined || others.length > 0)
    throw new StartError(`One file is needed.\n\n${HELP}`, 2)
  const data = resolve(values.data)
  const { bytes, earlier } = await restoreDatabase(resolve(file), data, new Date())
  console.log(`${data} holds the ${(bytes / 1e6).toFixed(1)} MB of ${resolve(file)}.`)
  if (earlier !== null)
    console.log(`The earlier database is in ${earlier}. Remove it once all is well.`)
}

try {
  await restore()
} catch (error) {
  const { code } = error as NodeJS.ErrnoException
  if (!(error instanceof StartError) && code === undefined) throw error
  console.error(error instanceof StartError ? error.message : fileSentence(error as Error))
  process.exitCode = error instanceof StartError ? error.exitCode : 1
}
