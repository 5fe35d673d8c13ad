// The command: arguments in, exit code out.
import { runCommand } from './command/run.js'

// Where nothing is left to wait for before there is a code.
process.exitCode = 1
void runCommand(process.argv.slice(2), process).then((code) => process.exit(code))
