import { GROUPS, optionList, type Option } from './options.js'

const WIDTH = 29

const valueOf = (option: Option) => {
  if (option.kind === 'switch') return ''
  return option.bare === undefined ? ` <${option.value}>` : ` [${option.value}]`
}

function row(name: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : '    '
  const negatable = option.kind === 'switch' && option.fallback ? '[no-]' : ''
  const left = `  ${short}--${negatable}${name}${valueOf(option)}`
  const shownDefault = option.kind === 'single' && option.fallback && !/^0/.test(option.fallback)
  const right = shownDefault ? `${option.help} (${option.fallback})` : option.help
  return `${left.padEnd(WIDTH + 2)} ${right}`
}

/** The text of --help: one screen, made from the option table. */
export function helpText(): string {
  const groups = GROUPS.map((group) => {
    const rows = optionList.filter(([, , option]) => option.group === group)
    return [...(group ? [group] : []), ...rows.map(([name, , option]) => row(name, option))].join(
      '\n',
    )
  })
  return `Usage: local-catcher [options] [-- command]
Receives webhooks on this machine, shows them as they were sent, and answers them.

${groups.join('\n')}

Each option is also read from the environment: LOCAL_CATCHER_MAX_BODY=1MiB
  local-catcher -p 0 -n 1 -t 10s -o hook.jsonl -- npm test
Exit: 0 stopped or count reached, 1 failed, 2 wrong use, 3 cannot listen, 4 timeout,
5 a signature failed, 130 second Ctrl+C; with a command, its own code if not 0.
`
}
