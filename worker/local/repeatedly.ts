/** Does the launcher's work again and again. */

/**
 * Does work now, and again after each pause of so many ms.
 *
 * @param work gets a signal that is aborted once the work is to end
 * @returns a function that ends it, and resolves when nothing of it is under way any more
 */
export function repeatedly(
  everyMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
): () => Promise<void> {
  const ending = new AbortController()
  let next: NodeJS.Timeout | undefined
  const run = async (): Promise<void> => {
    await work(ending.signal)
    if (ending.signal.aborted) return
    next = setTimeout(() => void (running = run()), everyMs).unref()
  }
  let running = run()
  return () => {
    ending.abort()
    clearTimeout(next)
    return running
  }
}
