// The command: arguments in, exit code out.
import { runCommand } from './command/run.js'

process.exit(await runCommand(process.argv.slice(2), process))
