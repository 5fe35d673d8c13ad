// How a command line is read by a table of options: flags, environment, defaults, and the help.
import { parseArgs } from 'node:util'
import { attempt, refuse, suggestion } from '../errors.js'
import { reader } from '../fields.js'

/** What an option may have beside its flag, its reader and its help. */
interface Extras {
  /** The text that is read unless one is given. */
  readonly fallback?: string
  readonly repeatable?: true
  /** The number that is the value where none follows. */
  readonly implied?: string
  /** Prints something and ends; not read from the environment. */
  readonly action?: true
}

/** An option of a command. Its key in the table, in camel case, is its name: maxBody, --max-body. */
export interface OptionRow extends Extras {
  /** The one-letter flag. */
  readonly letter: string | undefined
  /** What stands for the value in the help, in brackets where it may be left out; none: a switch. */
  readonly value: string | undefined
  /** What the help says of it; '' where the next option says it for both. */
  readonly help: string
  /** Reads a text; for a repeatable option, each text. Throws UsageError where it is wrong. */
  readonly read: (text: never) => unknown
}
export type OptionTable = Readonly<Record<string, OptionRow>>

/** The extras that many options have. */
export const ON = { fallback: 'true' } as const
export const LIST = { repeatable: true } as const
export const ACTION = { action: true } as const

/** Makes a row of a table; `flag` is its letter and the placeholder of its value: '-p <n>'. */
export function option<Read extends OptionRow['read'], const Added extends Extras = object>(
  flag: string,
  read: Read,
  help: string,
  added?: Added,
) {
  const [, letter, value] = /^(?:-(\w))? ?(.+)?$/.exec(flag)!
  return { letter, value, read, help, ...(added as Added) }
}

type Value<Row extends OptionRow> = Row extends { repeatable: true }
  ? readonly ReturnType<Row['read']>[]
  : ReturnType<Row['read']>
type Filled = { repeatable: true } | { fallback: string }
type Present<Table extends OptionTable> = {
  [Key in keyof Table]: Table[Key] extends Filled ? Key : never
}[keyof Table]

/** What the command line and the environment say by a table, defaults filled in. */
export type SettingsOf<Table extends OptionTable> = {
  readonly [Key in Exclude<keyof Table, Present<Table>>]?: Value<Table[Key]>
} & { readonly [Key in Present<Table>]: Value<Table[Key]> }

/** Reads the value of a switch. */
export const readSwitch = reader('true or false', (text: string) =>
  /^(true|1|yes|on)$/i.test(text) ? true : /^(false|0|no|off)$/i.test(text) ? false : undefined,
)

/** The last option of every command. */
export const HELP_OPTION = option('-h', readSwitch, 'print this help', ACTION)

/** An option with the names that follow from its key. */
export type Option = ReturnType<typeof optionsOf>[number]

/** The options of a table, in its order. */
export function optionsOf(table: OptionTable) {
  return Object.entries(table).map(([key, row]) => {
    const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const isOn = row.value === undefined && row.fallback === 'true'
    const flags = [`--${name}`, row.letter && `-${row.letter}`, isOn && `--no-${name}`]
    return {
      ...row,
      key,
      name,
      /** A switch that is on unless switched off. */
      isOn,
      flags: flags.filter((flag) => typeof flag === 'string'),
      variable: row.action ? null : `LOCAL_CATCHER_${name.replaceAll('-', '_').toUpperCase()}`,
    }
  })
}

/** Lines of the help by the options that they stand above. */
export type Headings = Readonly<Record<string, string>>

/** The lines of the help on these options; `headings` stand above the options that they name. */
export function helpOn(options: readonly Option[], headings: Headings = {}): string {
  let text = ''
  let flags: string[] = []
  for (const { key, name, letter, value, isOn, help, repeatable, fallback } of options) {
    if (headings[key]) text += `${headings[key]}\n`
    const flag = `--${isOn ? '[no-]' : ''}${name}${value ? ` ${value}` : ''}`
    flags.push(letter ? `-${letter}, ${flag}` : `${flags.length > 0 ? '' : '    '}${flag}`)
    if (help === '') continue
    const notes = [repeatable && 'repeatable', value && fallback].filter(Boolean).join(', ')
    text += `  ${flags.join(', ').padEnd(30)}${help}${notes && ` (${notes})`}\n`
    flags = []
  }
  return text
}

export const notAnOption = (word: string) => `'${word}' is not an option; a command goes after '--'`

/** Words of a command line, sorted out. */
export type CommandLine<Table extends OptionTable> = ReturnType<typeof parseCommandLine<Table>>

/**
 * Reads flags, then LOCAL_CATCHER_* for those not given, then defaults. At most `mostOperands` words
 * may be no option, such as the file of `replay`; the command to run stands after `--`. Throws
 * UsageError, which names the flag or the variable with the wrong value.
 */
export function parseCommandLine<Table extends OptionTable>(
  table: Table,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  mostOperands = 0,
) {
  const options = optionsOf(table)
  const { given, operands, command } = sortWords(options, args)
  const [word] = operands.slice(mostOperands)
  if (word !== undefined) refuse(notAnOption(word))
  const settings = options.map(({ key, name, variable, repeatable, read, fallback }) => {
    const inherited = variable === null ? '' : (environment[variable] ?? '')
    const flagged = given.get(name)
    const source = flagged || !inherited ? `--${name}` : variable!
    const lines = repeatable ? inherited.split('\n') : [inherited]
    const texts = flagged ?? lines.filter((line) => line !== '')
    const value = () => {
      if (repeatable) return texts.map((text) => read(text as never))
      const last = texts.at(-1) ?? fallback
      return last === undefined ? undefined : read(last as never)
    }
    return [key, attempt(source, value)]
  })
  return { settings: Object.fromEntries(settings) as SettingsOf<Table>, operands, command }
}

/** The texts given for each option, in order, under its name; the operands; and the command. */
function sortWords(options: readonly Option[], args: readonly string[]) {
  // parseArgs knows of no option whose value may be left out.
  const spelled = args.map((word, index) => {
    const implied = options.find(({ name }) => word === `--${name}`)?.implied
    return implied && !/^\d/.test(args[index + 1] ?? '') ? `${word}=${implied}` : word
  })
  const known = options.map(({ name, letter, value }) => {
    const type = value === undefined ? 'boolean' : 'string'
    return [name, { type, ...(letter && { short: letter }) } as const] as const
  })
  const how = { options: Object.fromEntries(known), strict: false, tokens: true } as const
  const given = new Map<string, string[]>()
  const operands: string[] = []
  for (const token of parseArgs({ ...how, args: spelled }).tokens) {
    if (token.kind === 'option-terminator') {
      const command = args.slice(token.index + 1)
      if (command.length > 0) return { given, operands, command }
      refuse("there is no command after '--'")
    }
    if (token.kind === 'positional') {
      operands.push(token.value)
      continue
    }
    const [, no, name = ''] = /^(no-)?(.*)$/.exec(token.name)!
    const option = options.find((each) => each.name === name)
    if (!option || (no && option.value)) {
      const flags = options.flatMap((each) => each.flags)
      refuse(`unknown option ${token.rawName}${suggestion(token.rawName, flags)}`)
    }
    if (option.value && token.value === undefined) {
      refuse(`--${name} needs a value: ${option.value}`)
    }
    given.set(name, [...(given.get(name) ?? []), token.value ?? String(!no)])
  }
  return { given, operands, command: [] }
}
