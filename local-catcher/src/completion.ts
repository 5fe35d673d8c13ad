import { OPTIONS, type Option } from './command-line.js'

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The flags of an option: --port and -p; --answer and --no-answer. */
const flagsOf = ({ name, short }: Option) => [`--${name}`, ...(short ? [`-${short}`] : [])]
const negations = ({ name, isOn }: Option) => (isOn ? [`no-${name}`] : [])

function bash(): string {
  const flags = (wanted: (option: Option) => unknown) =>
    OPTIONS.filter(wanted).flatMap(flagsOf).join('|')
  const choices = OPTIONS.filter(({ choices }) => choices).map(({ name, choices }) => {
    return `    --${name}) COMPREPLY=($(compgen -W "${choices?.join(' ')}" -- "$word")) ;;`
  })
  const names = OPTIONS.flatMap((option) => [option.name, ...negations(option)])
  return `_local_catcher() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  case \${COMP_WORDS[COMP_CWORD-1]} in
${choices.join('\n')}
    ${flags(({ isFile }) => isFile)}) COMPREPLY=($(compgen -f -- "$word")) ;;
    ${flags(({ value, isFile, choices }) => value && !isFile && !choices)}) ;;
    *) COMPREPLY=($(compgen -W "${names.map((name) => `--${name}`).join(' ')}" -- "$word")) ;;
  esac
}
complete -F _local_catcher local-catcher
`
}

function zsh(): string {
  const rows = OPTIONS.flatMap((option) => {
    const { name, help, value, choices, isFile, isRepeatable } = option
    const action = choices ? `(${choices.join(' ')})` : isFile ? '_files' : ' '
    const end = `[${help.replace(/[[\]:]/g, ' ')}]`
    return [
      ...flagsOf(option).map((flag) => flag + end + (value ? `:${name}:${action}` : '')),
      ...negations(option).map((no) => `--${no}${end}`),
    ].map((row) => `  ${quote((isRepeatable ? '*' : '') + row)}`)
  })
  return `#compdef local-catcher\n_arguments \\\n${rows.join(' \\\n')}\n`
}

function fish(): string {
  const rows = OPTIONS.flatMap((option) => {
    const { name, short, help, value, choices, isFile } = option
    const letter = short ? ` -s ${short}` : ''
    const kind = choices ? ` -xa ${quote(choices.join(' '))}` : isFile ? ' -r' : ' -x'
    const row = `-l ${name}${letter}${value ? kind : ' -f'} -d ${quote(help)}`
    return [row, ...negations(option).map((no) => `-l ${no} -f`)]
  })
  return rows.map((row) => `complete -c local-catcher ${row}\n`).join('')
}

const SCRIPTS = { bash, zsh, fish }

/** A completion script for one of the shells, made from the option table. */
export const completionScript = (shell: keyof typeof SCRIPTS): string => SCRIPTS[shell]()
