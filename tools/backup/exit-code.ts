/** The end of a command on files of the database. */

import { StartError } from '../../worker/local/command-line.ts'
import { fileSentence } from '../../worker/local/backup/database-file.ts'

/** Runs a command, and prints why it failed. @returns the exit code */
export async function exitCodeOf(command: () => Promise<void>): Promise<number> {
  try {
    await command()
    return 0
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isOurs = error instanceof StartError
    if (!isOurs && code === undefined) throw error
    console.error(isOurs ? message : fileSentence(error as Error))
    return isOurs ? error.exitCode : 1
  }
}
