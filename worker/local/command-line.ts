/** Reads the words after a command, which its table of options describes. */

import { parseArgs, type ParseArgsConfig } from 'node:util'
import { suggestion } from '../lib/nearest.ts'

/**
 * The options and other words of the process. Where one is unknown, it says so, with the nearest option and the help, and
 * ends the process with 2.
 */
export function wordsOrExit<Config extends ParseArgsConfig>(config: Config, help: string) {
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${sentenceAbout(error as Error, Object.keys(config.options ?? {}))}\n\n${help}`)
    process.exit(2)
  }
}

/** Node's first sentence, and the option that was probably meant. */
function sentenceAbout({ message }: Error, options: readonly string[]): string {
  const [sentence = ''] = message.split(/\.?\s*\n|\. /)
  const option = /'--([^' =]+)/.exec(sentence)?.[1]
  const hint = option === undefined || options.includes(option) ? '' : suggestion(option, options)
  return `${sentence.replace(/\.$/, '')}.${hint.replace("'", "'--")}`
}
