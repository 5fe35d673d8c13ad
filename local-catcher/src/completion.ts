import { OPTIONS, type Option } from './command-line.js'

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function bash(): string {
  const flags = (wanted: (option: Option) => unknown) =>
    OPTIONS.filter(wanted).flatMap((option) => option.flags)
  const choices = OPTIONS.filter(({ choices }) => choices).map(({ name, choices }) => {
    return `    --${name}) COMPREPLY=($(compgen -W "${choices?.join(' ')}" -- "$word")) ;;`
  })
  const isFree = ({ value, isFile, choices }: Option) => value && !isFile && !choices
  return `_local_catcher() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  case \${COMP_WORDS[COMP_CWORD-1]} in
${choices.join('\n')}
    ${flags(({ isFile }) => isFile).join('|')}) COMPREPLY=($(compgen -f -- "$word")) ;;
    ${flags(isFree).join('|')}) ;;
    *) COMPREPLY=($(compgen -W "${flags(() => true).join(' ')}" -- "$word")) ;;
  esac
}
complete -F _local_catcher local-catcher
`
}

function zsh(): string {
  const rows = OPTIONS.flatMap(({ name, flags, help, value, choices, isFile, isRepeatable }) => {
    const action = choices ? `(${choices.join(' ')})` : isFile ? '_files' : ' '
    const end = `[${help.replace(/[[\]:]/g, ' ')}]${value ? `:${name}:${action}` : ''}`
    return flags.map((flag) => `  ${quote((isRepeatable ? '*' : '') + flag + end)}`)
  })
  return `#compdef local-catcher\n_arguments \\\n${rows.join(' \\\n')}\n`
}

function fish(): string {
  const rows = OPTIONS.map(({ flags, help, value, choices, isFile }) => {
    const spelled = flags.map((flag) => flag.replace(/^--/, '-l ').replace(/^-(?!l )/, '-s '))
    const kind = choices ? `-xa ${quote(choices.join(' '))}` : isFile ? '-r' : '-x'
    return [...spelled, value ? kind : '-f', '-d', quote(help)].join(' ')
  })
  return rows.map((row) => `complete -c local-catcher ${row}\n`).join('')
}

const SCRIPTS = { bash, zsh, fish }

/** A completion script for one of the shells, made from the option table. */
export const completionScript = (shell: keyof typeof SCRIPTS): string => SCRIPTS[shell]()
