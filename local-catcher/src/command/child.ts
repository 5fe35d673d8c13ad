// The command that runs while requests are caught: `-- npm test`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'

const NOT_FOUND = 127
const GRACE = 5000

export type Child = ReturnType<typeof startChild>

/**
 * Starts a command with LOCAL_CATCHER_URL in its environment and our terminal as its own. Its exit
 * code is counted as shells do: 127 where it is not there, 128 and a signal's number.
 */
export function startChild(
  [file, ...args]: readonly string[],
  url: string,
  onEnd: (code: number) => void,
) {
  const env = { ...process.env, LOCAL_CATCHER_URL: url }
  const spawned = spawn(file, args, { stdio: 'inherit', env })
  const child = {
    running: true,
    code: 0,
    /** Ends it if it still runs; settles when it has ended. */
    async end(): Promise<void> {
      if (!child.running) return
      spawned.kill('SIGTERM')
      setTimeout(() => spawned.kill('SIGKILL'), GRACE).unref()
      await once(spawned, 'exit')
    },
  }
  const ended = (code: number) => {
    Object.assign(child, { running: false, code })
    onEnd(code)
  }
  spawned.on('exit', (code, signal) => ended(code ?? 128 + constants.signals[signal!]))
  spawned.on('error', (error) => {
    process.stderr.write(`local-catcher: cannot start '${file}': ${error.message}\n`)
    ended(NOT_FOUND)
  })
  return child
}
