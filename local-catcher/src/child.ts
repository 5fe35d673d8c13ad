import { spawn } from 'node:child_process'
import { UsageError } from './errors.js'

/** The command after `--`, while it runs and after. */
export interface Child {
  readonly running: boolean
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Ends it if it still runs; settles when it has ended. */
  end(): Promise<void>
}

// What shells answer for a command that is not there.
const NOT_FOUND = 127
const GRACE = 5000

/** Starts a command with LOCAL_CATCHER_URL in its environment and our terminal as its own. */
export function startChild(command: readonly string[], url: string, onEnd: () => void): Child {
  const [file, ...args] = command
  if (file === undefined) throw new UsageError('there is no command')
  const environment = { ...process.env, LOCAL_CATCHER_URL: url }
  const spawned = spawn(file, args, { stdio: 'inherit', env: environment })
  let code: number | null = null
  let failed = false
  let resolve: () => void
  const ended = new Promise<void>((done) => (resolve = done))
  const finish = () => {
    resolve()
    onEnd()
  }
  spawned.on('error', (error: NodeJS.ErrnoException) => {
    failed = true
    code = NOT_FOUND
    process.stderr.write(`local-catcher: cannot start '${file}': ${error.message}\n`)
    finish()
  })
  spawned.on('exit', (exitCode) => {
    code = exitCode
    finish()
  })
  const child = {
    get running() {
      return !failed && spawned.exitCode === null && spawned.signalCode === null
    },
    get code() {
      return code
    },
    get signal() {
      return spawned.signalCode
    },
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
