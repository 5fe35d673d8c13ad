/** `npm run backup`: makes a consistent copy of the database, whether or not the service runs. */

import { resolve } from 'node:path'
import { copyDatabase } from './backup/copy.ts'
import { fileSentence } from './backup/database-file.ts'
import { wordsOrExit } from './command-line.ts'
import { StartError } from './options.ts'

const HELP = `npm run backup -- FILE [--data DIR]

  FILE         the copy, which must not be there yet
  --data DIR   folder that the database is kept in (./data)
  --help       this text

The service may run meanwhile: queries are answered, reports wait until the files are copied.`

const WORDS = {
  allowPositionals: true,
  options: {
    data: { type: 'string', default: 'data' },
    help: { type: 'boolean', short: 'h', default: false },
  },
} as const

async function backup(): Promise<void> {
  const { values, positionals } = wordsOrExit(WORDS, HELP)
  const [file, ...others] = positionals
  if (values.help) return console.log(HELP)
  if (file === undefined || others.length > 0)
    throw new StartError(`One file is needed.\n\n${HELP}`, 2)
  const { bytes, heldMilliseconds } = await copyDatabase(resolve(values.data), resolve(file))
  const held =
    heldMilliseconds === null
      ? 'No service was running.'
      : `Reports waited for ${(heldMilliseconds / 1000).toFixed(1)} s.`
  console.log(`${resolve(file)}: ${(bytes / 1e6).toFixed(1)} MB. ${held}`)
}

try {
  await backup()
} catch (error) {
  const { code } = error as NodeJS.ErrnoException
  if (!(error instanceof StartError) && code === undefined) throw error
  console.error(error instanceof StartError ? error.message : fileSentence(error as Error))
  process.exitCode = error instanceof StartError ? error.exitCode : 1
}
