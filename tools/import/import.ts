/** `npm run import`: imports existing reports into the service. */

import { importCommand } from './import-command.ts'

process.exitCode = await importCommand(process.argv.slice(2), '.')
