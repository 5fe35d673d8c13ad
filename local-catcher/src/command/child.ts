// The command that runs while requests are caught: `-- npm test`.
import { spawn, type StdioOptions } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout } from 'node:timers/promises'

const NOT_FOUND = 127
/** Milliseconds between asking a command to end and killing it. */
const GRACE = 5000
/** The same for what a command has left behind. */
const GRACE_OF_REST = 1000
const STEP = 20
const OPTION = /^LOCAL_CATCHER_(?!SECRET$)/
// Elsewhere there are no process groups.
const HAS_GROUPS = process.platform !== 'win32'

/**
 * Starts a command with our terminal as its own, and `variables` in its environment. It has a process
 * group of its own, so that what it starts can be ended with it. Its exit code is counted as shells
 * do: 127 where it is not there, 128 and a signal's number.
 */
export function startChild(
  [file, ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
  onEnd: (code: number) => void,
  stdio: StdioOptions = 'inherit',
) {
  // A catcher that the command starts has options of its own.
  const inherited = Object.entries(process.env).filter(([name]) => !OPTION.test(name))
  const env = { ...Object.fromEntries(inherited), ...variables }
  const spawned = spawn(file, args, { stdio, env, detached: HAS_GROUPS })
  /** Sends a signal to every process of the command, 0 for none; false where there is none left. */
  const signal = (name: NodeJS.Signals | 0): boolean => {
    const { pid } = spawned
    if (pid === undefined) return false
    try {
      return HAS_GROUPS ? process.kill(-pid, name) : child.running && spawned.kill(name)
    } catch {
      return false
    }
  }
  // Nothing may outlive us, whichever way we end.
  const killAll = () => void signal('SIGKILL')
  process.once('exit', killAll)
  const child = {
    running: true,
    code: 0,
    /** Ends what still runs of it, politely at first; settles when nothing does. */
    async end(name: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      const started = performance.now()
      let exited = child.running ? Infinity : started
      for (let asked = signal(name); asked; asked = signal(0)) {
        const now = performance.now()
        if (!child.running) exited = Math.min(exited, now)
        if (now - started > GRACE || now - exited > GRACE_OF_REST) signal('SIGKILL')
        // Of a dead process whose parent does not collect it, the group is never empty.
        if (!child.running && now - exited > 2 * GRACE_OF_REST) break
        await setTimeout(STEP)
      }
      process.off('exit', killAll)
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
