/** `npm run backup`: makes verified copies of database and history, whether or not the service runs, and checks them. */

import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { backupCommand } from './backup-command.ts'

/** The root of the project; this program's bundle is dist/programs/NAME. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')

process.exitCode = await backupCommand(root, process.argv.slice(2))
