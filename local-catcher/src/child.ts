import { spawn } from 'node:child_process'

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
  const [file = '', ...args] = command
  const spawned = spawn(file, args, {
    stdio: 'inherit',
    env: { ...process.env, LOCAL_CATCHER_URL: url },
  })
  const child = { running: true, code: null as number | null, signal: null as Child['signal'], end }
  const ended = new Promise<void>((resolve) => {
    const finish = (code: number | null, signal: Child['signal']) => {
      Object.assign(child, { running: false, code, signal })
      resolve()
      onEnd()
    }
    spawned.on('exit', finish)
    spawned.on('error', (error) => {
      process.stderr.write(`local-catcher: cannot start '${file}': ${error.message}\n`)
      finish(NOT_FOUND, null)
    })
  })
  async function end() {
    if (!child.running) return
    spawned.kill('SIGTERM')
    const force = setTimeout(() => spawned.kill('SIGKILL'), GRACE)
    await ended
    clearTimeout(force)
  }
  return child
}
