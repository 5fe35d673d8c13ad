/** `npm run restore`: replaces the database with a backup. */

import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { restoreCommand } from './restore-command.ts'

/** The root of the project; this program's bundle is dist/programs/NAME. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')

process.exitCode = await restoreCommand(root, process.argv.slice(2))
