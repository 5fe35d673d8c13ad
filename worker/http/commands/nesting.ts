/** Commands whose values are nested without measure. */

import { CommandError } from '../../lib/errors.ts'

/**
 * Reads or carries out a command. Walking through its values uses the stack, whose depth is a few thousand frames.
 *
 * @throws CommandError where the stack does not suffice
 */
export async function refusingDepth<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isOverflow = error instanceof RangeError && error.message.includes('call stack')
    throw isOverflow ? new CommandError('The values of the command are nested too deeply.') : error
  }
}
