import { optionList, type Option } from './options.js'

const hasValue = (option: Option) => option.kind !== 'switch'
const choicesOf = (option: Option) => (option.kind === 'switch' ? undefined : option.choices)
const isFile = (option: Option) => option.kind !== 'switch' && option.file === true

/** Long names, each that is on by default with its --no- form. */
const longNames = optionList.flatMap(([name, , option]) =>
  option.kind === 'switch' && option.fallback ? [name, `no-${name}`] : [name],
)

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const SCRIPTS = {
  bash: () => {
    const flags = (wanted: (option: Option) => boolean) =>
      optionList
        .filter(([, , option]) => wanted(option))
        .flatMap(([name, , { short }]) => [`--${name}`, ...(short ? [`-${short}`] : [])])
        .join('|')
    const choices = optionList.flatMap(([name, , option]) => {
      const words = choicesOf(option)
      return words
        ? [`    --${name}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word")) ;;`]
        : []
    })
    return `_local_catcher() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  case \${COMP_WORDS[COMP_CWORD-1]} in
${choices.join('\n')}
    ${flags(isFile)}) COMPREPLY=($(compgen -f -- "$word")) ;;
    ${flags((option) => hasValue(option) && !isFile(option) && !choicesOf(option))}) ;;
    *) COMPREPLY=($(compgen -W "${longNames.map((name) => `--${name}`).join(' ')}" -- "$word")) ;;
  esac
}
complete -F _local_catcher local-catcher
`
  },
  zsh: () => {
    const rows = optionList.flatMap(([name, , option]) => {
      const help = option.help.replace(/[[\]:]/g, ' ')
      const action = choicesOf(option)
        ? `(${choicesOf(option)!.join(' ')})`
        : isFile(option)
          ? '_files'
          : ' '
      const value = hasValue(option) ? `:${name}:${action}` : ''
      const star = option.kind === 'repeated' ? '*' : ''
      const names = [`--${name}`, ...(option.short ? [`-${option.short}`] : [])]
      const no = longNames.includes(`no-${name}`) ? [`--no-${name}`] : []
      return [...names, ...no].map(
        (flag) => `  ${quote(`${star}${flag}[${help}]${flag.startsWith('--no-') ? '' : value}`)}`,
      )
    })
    return `#compdef local-catcher\n_arguments \\\n${rows.join(' \\\n')}\n`
  },
  fish: () =>
    optionList
      .flatMap(([name, , option]) => {
        const short = option.short ? ` -s ${option.short}` : ''
        const choices = choicesOf(option)
        const value = choices
          ? ` -xa ${quote(choices.join(' '))}`
          : isFile(option)
            ? ' -r'
            : hasValue(option)
              ? ' -x'
              : ' -f'
        const no = longNames.includes(`no-${name}`)
          ? [`complete -c local-catcher -l no-${name} -f`]
          : []
        return [
          `complete -c local-catcher -l ${name}${short}${value} -d ${quote(option.help)}`,
          ...no,
        ]
      })
      .join('\n') + '\n',
}

/** A completion script for one of the shells, made from the option table. */
export const completionScript = (shell: keyof typeof SCRIPTS): string => SCRIPTS[shell]()
