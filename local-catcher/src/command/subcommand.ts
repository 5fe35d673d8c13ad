// What a subcommand is: its options, its help, and what it does.
import { EXIT } from './exit.js'
import * as table from './option-table.js'
import type { Runtime } from './runtime.js'

/** A command that the first word of the command line names; without one, catching is meant. */
export type Subcommand = ReturnType<typeof subcommand>

interface Definition<Table extends table.OptionTable> {
  /** What stands above the options in the help: how it is written, and what it does. */
  readonly usage: string
  /** What stands below them. */
  readonly notes: string
  /** Its options but for --help, which every subcommand has. */
  readonly options: Table
  /** Headings in the help, by the option that each stands above. */
  readonly headings?: table.Headings
  /** How many words may be no option; none unless given. */
  readonly mostOperands?: number
  run(line: table.CommandLine<Table>, runtime: Runtime): Promise<number>
}

/** Makes a subcommand of its definition. */
export function subcommand<Table extends table.OptionTable>(given: Definition<Table>) {
  const rows = { ...given.options, help: table.HELP_OPTION }
  const options = table.optionsOf(rows)
  return {
    options,
    /**
     * Does what `args`, the words after its own, ask for; gives the exit code. Options that it does
     * not name are read from `environment`. May throw UsageError.
     */
    async run(args: readonly string[], runtime: Runtime, environment = runtime.process.env) {
      const line = table.parseCommandLine<Table>(rows, args, environment, given.mostOperands)
      const { help } = line.settings as { readonly help?: boolean }
      if (!help) return given.run(line, runtime)
      runtime.print(`${given.usage}\n\n${table.helpOn(options, given.headings)}${given.notes}`)
      return EXIT.stopped
    },
  }
}
