import { nearest, reasonOf, UsageError } from './errors.js'
import { environmentName, optionList, type Option, type Settings } from './options.js'

export interface CommandLine {
  readonly settings: Settings
  /** What stands after `--`: the command to run, and its arguments. */
  readonly command: readonly string[]
}

/** Reads flags, then LOCAL_CATCHER_* for those not given, then defaults. Throws UsageError. */
export function parseCommandLine(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): CommandLine {
  const divide = args.indexOf('--')
  const flags = divide === -1 ? args : args.slice(0, divide)
  const command = divide === -1 ? [] : args.slice(divide + 1)
  if (divide !== -1 && command.length === 0) throw new UsageError("there is no command after '--'")
  const given = readFlags(flags)
  for (const [name, key, option] of optionList) {
    const value = environment[environmentName(name)]
    if (given.has(key) || value === undefined || value === '') continue
    given.set(key, option.kind === 'repeated' ? value.split('\n') : [value])
  }
  const settings = Object.fromEntries(
    optionList.map(([name, key, option]) => [key, readValue(name, option, given.get(key))]),
  ) as Settings
  if (settings.json && settings.quiet)
    throw new UsageError('--json and --quiet are two forms of one output')
  if (!settings.cert !== !settings.key) throw new UsageError('--cert and --key belong together')
  return { settings, command }
}

function readFlags(args: readonly string[]): Map<keyof Settings, string[]> {
  const given = new Map<keyof Settings, string[]>()
  const queue = args.flatMap(splitShort)
  while (queue.length > 0) {
    const word = queue.shift()!
    const [, dashes, no, name, , inline] = /^(--?)(no-)?([^=]*)(=([^]*))?$/.exec(word) ?? []
    const found = optionList.find(([long, , option]) =>
      dashes === '--' ? long === name : dashes === '-' && option.short === name,
    )
    if (!found || (no && found[2].kind !== 'switch')) throw unknown(word)
    const [, key, option] = found
    const take = () => {
      if (inline !== undefined) return inline
      if (option.kind === 'switch') return no ? 'false' : 'true'
      const next = queue[0]
      if (option.bare !== undefined && !/^\d+$/.test(next ?? '')) return option.bare
      if (next === undefined) throw new UsageError(`${word} needs a value: <${option.value}>`)
      return queue.shift()!
    }
    const value = take()
    given.set(key, option.kind === 'repeated' ? [...(given.get(key) ?? []), value] : [value])
  }
  return given
}

/** '-qn3' as '-q', '-n', '3', as POSIX has it. */
function splitShort(word: string): string[] {
  if (!/^-[A-Za-z]./.test(word)) return [word]
  const option = optionList.find(([, , { short }]) => short === word[1])?.[2]
  if (!option) return [word]
  const rest = word.slice(2)
  return option.kind === 'switch'
    ? [word.slice(0, 2), ...splitShort(`-${rest}`)]
    : [word.slice(0, 2), rest]
}

function unknown(word: string): UsageError {
  if (!word.startsWith('-'))
    return new UsageError(`'${word}' is not an option; a command goes after '--'`)
  const names = optionList.flatMap(([name, , { kind }]) =>
    kind === 'switch' ? [name, `no-${name}`] : [name],
  )
  const near = nearest(word.replace(/^-+|=.*/g, ''), names)
  return new UsageError(`unknown option ${word}${near ? `: did you mean --${near}?` : ''}`)
}

const TRUTHS: Record<string, boolean> = {
  true: true,
  false: false,
  1: true,
  0: false,
  yes: true,
  no: false,
  on: true,
  off: false,
}

function readValue(name: string, option: Option, given: readonly string[] | undefined): unknown {
  try {
    if (option.kind === 'switch') {
      const truth = given ? TRUTHS[given[0].toLowerCase()] : option.fallback
      if (truth === undefined) throw new UsageError(`'${given![0]}' is neither true nor false`)
      return truth
    }
    if (option.kind === 'repeated') return (given ?? []).map(option.read)
    const value = given?.[0] ?? option.fallback
    return value === undefined ? undefined : option.read(value)
  } catch (thrown) {
    throw new UsageError(`--${name}: ${reasonOf(thrown)}`)
  }
}
