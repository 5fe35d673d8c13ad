/** The file of `--tokens`: the lines of the setting TOKENS, read at the start and after each change. */

import { readFileSync, watchFile } from 'node:fs'
import { readTokens } from '../access/tokens.ts'

/** @returns the text of the file @throws Error with a sentence that names the file */
export function readTokensFile(file: string): string {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${file} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  try {
    readTokens('TOKENS', text)
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`)
  }
  return text
}

/** What follows a change of the file. */
export interface TokensWatch {
  readonly everyMs: number
  readonly apply: (text: string) => Promise<void>
  readonly onChange: (sentence: string) => void
  readonly onTrouble: (sentence: string) => void
}

/** Checks the file for changes. One that can't be used leaves the earlier tokens. */
export function watchTokensFile(file: string, { everyMs, apply, ...say }: TokensWatch): void {
  const changed = async (): Promise<void> => {
    try {
      const text = readTokensFile(file)
      await apply(text)
      const count = readTokens('TOKENS', text).length
      say.onChange(`The file of tokens was read again: it holds ${count}.`)
    } catch (error) {
      say.onTrouble(`${(error as Error).message} The earlier tokens stay in use.`)
    }
  }
  watchFile(file, { interval: everyMs, persistent: false }, () => void changed())
}
