// Runs what a command line asks for, a subcommand or catching, and makes an exit code of failures.
import { ListenError, reasonOf, UsageError } from '../errors.js'
import { catching } from './catch.js'
import { EXIT } from './exit.js'
import { SUBCOMMANDS } from './subcommands.js'

/** Does what the command line asks for; settles with the exit code. Never rejects. */
export async function runCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  // Whoever reads what we say may leave; that is no reason to end.
  process.stderr.on('error', () => {})
  const [word = '', ...rest] = args
  const load = Object.hasOwn(SUBCOMMANDS, word) ? SUBCOMMANDS[word] : null
  try {
    return load
      ? await (await load()).run(rest, environment)
      : await catching.run(args, environment)
  } catch (thrown) {
    process.stderr.write(`local-catcher: ${reasonOf(thrown)}\n`)
    if (thrown instanceof ListenError) return EXIT.listen
    if (!(thrown instanceof UsageError)) return EXIT.failed
    const help = `local-catcher ${load ? `${word} ` : ''}--help`
    process.stderr.write(`  all options:       ${help}\n`)
    return EXIT.usage
  }
}
