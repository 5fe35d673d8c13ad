/** The end of a command on files of the database. */

import { WordError } from '../command-line.ts'
import { StartError } from '../options.ts'
import { fileSentence } from './database-file.ts'

/** Runs a command, and prints why it failed. @returns the exit code */
export async function exitCodeOf(command: () => Promise<void>): Promise<number> {
  try {
    await command()
    return 0
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isWrong = error instanceof StartError || error instanceof WordError
    if (!isWrong && code === undefined) throw error
    console.error(isWrong ? message : fileSentence(error as Error))
    if (error instanceof WordError) return 2
    return error instanceof StartError ? error.exitCode : 1
  }
}
