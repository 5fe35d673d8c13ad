// Completion scripts for shells, made from the tables of options.
import type { Option } from './option-table.js'

/** The options of the subcommand with this word; the last has none, and those of catching. */
export interface Completed {
  readonly word: string | null
  readonly options: readonly Option[]
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const wordsOf = (commands: readonly Completed[]) =>
  commands.flatMap(({ word }) => (word === null ? [] : [word]))

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(({ word, options }) => {
    const flags = (wanted: (option: Option) => unknown) =>
      options.filter(wanted).flatMap((option) => option.flags)
    const branch = (names: readonly string[], action: string) =>
      names.length > 0 ? [`      ${names.join('|')}) ${action} ;;`] : []
    const reply = (source: string) => `COMPREPLY=($(compgen ${source} -- "$word"))`
    const list = (words: readonly string[]) => reply(`-W "${words.join(' ')}"`)
    const files = flags(({ file }) => file)
    const isFree = ({ value, file, choices }: Option) => value && !file && !choices
    const first = word === null ? wordsOf(commands) : []
    return [
      `  ${word ?? '*'})`,
      '    case ${COMP_WORDS[COMP_CWORD-1]} in',
      ...options.flatMap(({ flags, choices }) => (choices ? branch(flags, list(choices)) : [])),
      ...branch(files, reply('-f')),
      ...branch(flags(isFree), ''),
      ...branch(['*'], list([...flags(() => true), ...first])),
      '    esac ;;',
    ]
  })
  return `_local_catcher() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  case \${COMP_WORDS[1]} in
${cases.flat().join('\n')}
  esac
}
complete -F _local_catcher local-catcher
`
}

/** zsh runs completions of bash. */
const zsh = (commands: readonly Completed[]) =>
  `autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`

function fish(commands: readonly Completed[]): string {
  const words = wordsOf(commands).join(' ')
  const seen = '__fish_seen_subcommand_from'
  const rows = commands.flatMap(({ word, options }) => {
    const when = `-n ${quote(word === null ? `not ${seen} ${words}` : `${seen} ${word}`)}`
    const first = word === null ? [`${when} -fa ${quote(words)}`] : []
    const lines = options.map(({ flags, help, value, choices, file }) => {
      const spelled = flags.map((flag) => flag.replace(/^--/, '-l ').replace(/^-(?!l )/, '-s '))
      const kind = choices ? `-xa ${quote(choices.join(' '))}` : file ? '-r' : '-x'
      return [when, ...spelled, value ? kind : '-f', '-d', quote(help)].join(' ')
    })
    return [...first, ...lines]
  })
  return rows.map((row) => `complete -c local-catcher ${row}\n`).join('')
}

/** By shell, what makes its completion script. */
export const COMPLETION_SCRIPTS = { bash, zsh, fish }
