/** Reads the words after a command, which its table of options describes. */

import { parseArgs, type ParseArgsConfig } from 'node:util'
import { suggestion } from '../lib/nearest.ts'

/** An error that the user of the command can fix; the message says how. */
export class StartError extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** @param words as they stand after the command @throws StartError (2) with the nearest option and the help where one is unknown */
export function readWords<Config extends ParseArgsConfig>(
  config: Config,
  help: string,
  words: readonly string[],
) {
  try {
    return parseArgs({ ...config, args: words })
  } catch (error) {
    const sentence = sentenceAbout(error as Error, Object.keys(config.options ?? {}))
    throw new StartError(`${sentence}\n\n${help}`, 2, { cause: error })
  }
}

/** The options and other words of the process. Where one is unknown, it says so, and ends the process with 2. */
export function wordsOrExit<Config extends ParseArgsConfig>(config: Config, help: string) {
  try {
    return readWords(config, help, process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    console.error(error.message)
    process.exit(2)
  }
}

/** @param option such as `--url` @returns the address as it was typed @throws StartError (2) where the value is none */
export function readAddress(option: string, value: string): string {
  try {
    if (['http:', 'https:'].includes(new URL(value).protocol)) return value
  } catch {
    // Said below.
  }
  throw new StartError(
    `${option} takes an address such as https://reports.example.com:8081, not '${value}'.`,
    2,
  )
}

/** Node's first sentence, and the option that was probably meant. */
function sentenceAbout({ message }: Error, options: readonly string[]): string {
  const [sentence = ''] = message.split(/\.?\s*\n|\. /)
  const option = /'--([^' =]+)/.exec(sentence)?.[1]
  const hint = option === undefined || options.includes(option) ? '' : suggestion(option, options)
  return `${sentence.replace(/\.$/, '')}.${hint.replace("'", "'--")}`
}
