/** Turns of the event loop between parts of work that nobody waits for. */

/**
 * Resolves after a turn in which requests that came meanwhile go ahead. Where SQLite runs on this thread, batches after batches leave
 * workerd no such turn: it looks at its sockets when nothing else is left to do, as while a timer runs.
 */
export const laterTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** @returns what is told of each piece of work, and waits for a later turn each time that so much of it was done */
export function inTurns(most: number): (work: number) => Promise<void> | null {
  let done = 0
  return (work) => {
    done += work
    if (done < most) return null
    done = 0
    return laterTurn()
  }
}
