import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/** The command after `--`, while it runs and after. */
export interface Child {
  readonly running: boolean
  /** Its exit code, counted as shells do: 127 where it is not there, 128 and a signal's number. */
  readonly code: number
  /** Ends it if it still runs; settles when it has ended. */
  end(): Promise<void>
}

const NOT_FOUND = 127
const GRACE = 5000

/** Starts a command with LOCAL_CATCHER_URL in its environment and our terminal as its own. */
export function startChild(command: readonly string[], url: string, onEnd: () => void): Child {
  const [file, ...args] = command
  const env = { ...process.env, LOCAL_CATCHER_URL: url }
  const spawned = spawn(file, args, { stdio: 'inherit', env })
  const ended = new Promise<void>((resolve) => {
    const finish = (code: number) => {
      Object.assign(child, { running: false, code })
      resolve()
      onEnd()
    }
    spawned.on('exit', (code, signal) => finish(code ?? 128 + constants.signals[signal!]))
    spawned.on('error', (error) => {
      process.stderr.write(`local-catcher: cannot start '${file}': ${error.message}\n`)
      finish(NOT_FOUND)
    })
  })
  const child = {
    running: true,
    code: 0,
    async end() {
      if (!child.running) return
      spawned.kill('SIGTERM')
      const force = setTimeout(() => spawned.kill('SIGKILL'), GRACE)
      await ended
      clearTimeout(force)
    },
  }
  return child
}
