/** `npm run history`: asks the history of a folder by SQL, and takes nodes out of one in a folder or a bucket. */

import { historyCommand } from './history-command.ts'

process.exitCode = await historyCommand(process.argv.slice(2))
