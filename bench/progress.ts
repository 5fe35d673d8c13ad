/** Shows progress on standard error: one rewritten line on a terminal, and a few lines elsewhere. */

const EVERY_MS = process.stderr.isTTY ? 100 : 10_000

/** Reports the progress of a loop. @param total number of steps; null if unknown */
export function progressOf(what: string, total: number | null): (done: number) => void {
  let told = performance.now()
  return (done) => {
    if (done !== total && performance.now() - told < EVERY_MS) return
    told = performance.now()
    const line = `${what}: ${done}${total === null ? '' : ` of ${total}`}`
    if (!process.stderr.isTTY) process.stderr.write(`${line}\n`)
    else process.stderr.write(`\r\x1b[K${line}${done === total ? '\n' : ''}`)
  }
}

export const tell = (line: string): void => void process.stderr.write(`${line}\n`)
