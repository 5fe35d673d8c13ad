// Completion scripts for shells, made from the tables of options.
import type { Option } from './option-table.js'
import type { SHELLS } from './settings.js'

/** The options of catching, or of the subcommand with this word. */
export interface Completed {
  readonly word: string | null
  readonly options: readonly Option[]
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const wordsOf = (commands: readonly Completed[]) =>
  commands.flatMap(({ word }) => (word === null ? [] : [word]))

function bash(commands: readonly Completed[]): string {
  const cases = ({ word, options }: Completed) => {
    const flags = (wanted: (option: Option) => unknown) =>
      options.filter(wanted).flatMap((option) => option.flags)
    const choices = options.flatMap(({ name, choices }) =>
      choices
        ? [`      --${name}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$word")) ;;`]
        : [],
    )
    const pattern = (names: readonly string[]) => (names.length > 0 ? names.join('|') : '-')
    const isFree = ({ value, file, choices }: Option) => value && !file && !choices
    const more = word === null ? wordsOf(commands) : []
    return `  ${word ?? '*'})
    case \${COMP_WORDS[COMP_CWORD-1]} in
${choices.join('\n')}
      ${pattern(flags(({ file }) => file))}) COMPREPLY=($(compgen -f -- "$word")) ;;
      ${pattern(flags(isFree))}) ;;
      *) COMPREPLY=($(compgen -W "${[...flags(() => true), ...more].join(' ')}" -- "$word")) ;;
    esac ;;`
  }
  // Catching fits every first word, so it comes last.
  const last = [...commands].sort((one, other) => Number(!one.word) - Number(!other.word))
  return `_local_catcher() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  case \${COMP_WORDS[1]} in
${last.map(cases).join('\n')}
  esac
}
complete -F _local_catcher local-catcher
`
}

function zsh(commands: readonly Completed[]): string {
  const argumentsOf = (options: readonly Option[]) => {
    const rows = options.flatMap(({ name, flags, help, value, choices, file, repeatable }) => {
      const action = choices ? `(${choices.join(' ')})` : file ? '_files' : ' '
      const end = `[${help.replace(/[[\]:]/g, ' ')}]${value ? `:${name}:${action}` : ''}`
      return flags.map((flag) => `  ${quote((repeatable ? '*' : '') + flag + end)}`)
    })
    return `_arguments \\\n${rows.join(' \\\n')}`
  }
  const cases = commands.map(({ word, options }) =>
    word === null
      ? `*) ${argumentsOf(options)} \\\n  '1:subcommand:(${wordsOf(commands).join(' ')})'`
      : `${word}) shift words; (( CURRENT-- )); ${argumentsOf(options)}`,
  )
  // Catching fits every first word, so it comes last.
  cases.sort((one, other) => Number(one.startsWith('*')) - Number(other.startsWith('*')))
  return `#compdef local-catcher\ncase $words[2] in\n${cases.join(' ;;\n')} ;;\nesac\n`
}

function fish(commands: readonly Completed[]): string {
  const words = wordsOf(commands)
  const seen = `__fish_seen_subcommand_from ${words.join(' ')}`
  const rows = commands.flatMap(({ word, options }) => {
    const when = word === null ? `not ${seen}` : `__fish_seen_subcommand_from ${word}`
    const condition = words.length > 0 ? `-n ${quote(when)} ` : ''
    return options.map(({ flags, help, value, choices, file }) => {
      const spelled = flags.map((flag) => flag.replace(/^--/, '-l ').replace(/^-(?!l )/, '-s '))
      const kind = choices ? `-xa ${quote(choices.join(' '))}` : file ? '-r' : '-x'
      return condition + [...spelled, value ? kind : '-f', '-d', quote(help)].join(' ')
    })
  })
  const first = words.length > 0 ? [`-n ${quote(`not ${seen}`)} -fa ${quote(words.join(' '))}`] : []
  return [...first, ...rows].map((row) => `complete -c local-catcher ${row}\n`).join('')
}

const SCRIPTS = { bash, zsh, fish }

/** A completion script for one of the shells. */
export const completionScript = (
  shell: (typeof SHELLS)[number],
  commands: readonly Completed[],
): string => SCRIPTS[shell](commands)
