// Runs what a command line asks for, a subcommand or catching, and makes an exit code of failures.
import { CLOCK } from '../clock.js'
import { ListenError, reasonOf, refuse, suggestion, UsageError } from '../errors.js'
import { catching } from './catch.js'
import { EXIT } from './exit.js'
import { notAnOption } from './option-table.js'
import { runtimeOf, type Process } from './runtime.js'
import type { Subcommand } from './subcommand.js'

/** The subcommands by the word that each begins with. Each is loaded when it is used. */
export const SUBCOMMANDS: Readonly<Record<string, () => Promise<Subcommand>>> = {
  check: async () => (await import('../check/command.js')).check,
  replay: async () => (await import('../replay/commands.js')).replaying,
  send: async () => (await import('../replay/commands.js')).sending,
}

/** Does what the command line asks for; settles with the exit code. Never rejects. */
export async function runCommand(args: readonly string[], process: Process, clock = CLOCK) {
  const runtime = runtimeOf(process, clock)
  const { tell, warn } = runtime
  // Whoever reads what we say may leave; that is no reason to end.
  process.stderr.on('error', () => {})
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return
    warn(`cannot print: ${message}`)
    process.exit(EXIT.failed)
  })
  const [word = '', ...rest] = args
  if (word === 'help') return runCommand([...rest, '--help'], process, clock)
  // The other variables are options of catching, which may have the name of another's option.
  const { LOCAL_CATCHER_SECRET } = process.env
  const load = Object.hasOwn(SUBCOMMANDS, word) ? SUBCOMMANDS[word] : null
  try {
    if (!load && /^[a-z]/.test(word)) {
      const nearest = suggestion(word, ['help', ...Object.keys(SUBCOMMANDS)])
      refuse(nearest ? `there is no '${word}'${nearest}` : notAnOption(word))
    }
    return await (load
      ? (await load()).run(rest, runtime, { LOCAL_CATCHER_SECRET })
      : catching.run(args, runtime))
  } catch (thrown) {
    warn(reasonOf(thrown))
    if (thrown instanceof ListenError) return EXIT.listen
    if (!(thrown instanceof UsageError)) return EXIT.failed
    tell(`  all options:       local-catcher ${load ? `${word} ` : ''}--help`)
    return EXIT.usage
  }
}
