// What a subcommand is: its options, its help, and what it does.
import { EXIT } from './exit.js'
import {
  helpOn,
  HELP_OPTION,
  optionsOf,
  parseCommandLine,
  type CommandLine,
  type Option,
  type OptionTable,
} from './option-table.js'

/** A command that the first word of the command line names; without one, catching is meant. */
export interface Subcommand {
  readonly options: readonly Option[]
  /** The text of its --help. */
  readonly help: string
  /** Does what `args`, the words after its own, ask for; gives the exit code. May throw UsageError. */
  run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number>
}

interface Definition<Table extends OptionTable> {
  /** What stands above the options in the help: how it is written, and what it does. */
  readonly usage: string
  /** What stands below them. */
  readonly notes: string
  /** Its options but for --help, which every subcommand has. */
  readonly options: Table
  /** How many words may be no option; none unless given. */
  readonly mostOperands?: number
  run(line: CommandLine<Table>): Promise<number>
}

/** Makes a subcommand of its definition. */
export function subcommand<Table extends OptionTable>(given: Definition<Table>): Subcommand {
  const table = { ...given.options, help: HELP_OPTION }
  const options = optionsOf(table)
  const help = `${given.usage}\n${helpOn(options)}${given.notes}`
  return {
    options,
    help,
    async run(args, environment) {
      const line = parseCommandLine<Table>(table, args, environment, given.mostOperands)
      const { help: isAskedFor } = line.settings as { readonly help?: boolean }
      if (!isAskedFor) return given.run(line)
      process.stdout.write(help)
      return EXIT.stopped
    },
  }
}
