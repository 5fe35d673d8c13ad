// The command: arguments in, exit code out.
import { runCommand } from './command/run.js'

void runCommand(process.argv.slice(2), process).then((code) => process.exit(code))
