// The command that runs while requests are caught: `-- npm test`.
import { spawn, spawnSync, type StdioOptions } from 'node:child_process'
import { constants } from 'node:os'
import { sleep } from '../clock.js'
import type { Runtime } from './runtime.js'
import { windowsCommand } from './windows.js'

const NOT_FOUND = 127
/** Milliseconds between asking a command to end and killing it. */
const GRACE = 5000
/** The same for what a command has left behind. */
const GRACE_OF_REST = 1000
const STEP = 20
const CAUSES: Partial<Record<string, string>> = {
  ENOENT: 'there is no such command here or in PATH',
  EACCES: 'the file may not be executed',
}
const OPTION = /^LOCAL_CATCHER_(?!SECRET$)/
const IS_WINDOWS = process.platform === 'win32'

/**
 * Starts a command with our input and output, and `variables` in its environment. It has a session
 * without a controlling terminal, so that what it starts can be ended with it. Its exit code is counted as shells
 * do: 127 where it is not there, 128 and a signal's number.
 */
export function startChild(
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
  { process: own, clock, warn }: Runtime,
  onEnd: (code: number) => void,
  stdio: StdioOptions = ['inherit', own.stdout.fd, own.stderr.fd],
) {
  // A catcher that the command starts has options of its own.
  const inherited = Object.entries(own.env).filter(([name]) => !OPTION.test(name))
  const env = { ...Object.fromEntries(inherited), ...variables }
  const [file, ...args] = IS_WINDOWS ? windowsCommand(command, own.env) : command
  // The line for cmd.exe is quoted as that wants it.
  const windowsVerbatimArguments = file !== command[0] && args[0] === '/d'
  const how = { stdio, env, detached: !IS_WINDOWS, windowsVerbatimArguments }
  const spawned = spawn(file, args, how)
  /** Sends a signal to every process of the command, 0 for none; false where there is none left. */
  const signal = (name: NodeJS.Signals | 0): boolean => {
    const { pid } = spawned
    if (pid === undefined) return false
    try {
      if (!IS_WINDOWS) return process.kill(-pid, name)
      // No signals there: the command is ended with all that it has started.
      if (name !== 0) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'])
      return child.running
    } catch {
      return false
    }
  }
  // Nothing may outlive us, whichever way we end.
  const killAll = () => void signal('SIGKILL')
  own.once('exit', killAll)
  const child = {
    running: true,
    code: 0,
    /** Ends what still runs of it, politely at first; settles when nothing does. */
    async end(name: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      const started = clock.now()
      let exited = child.running ? Infinity : started
      for (let asked = signal(name); asked; asked = signal(0)) {
        const now = clock.now()
        if (!child.running) exited = Math.min(exited, now)
        if (now - started > GRACE || now - exited > GRACE_OF_REST) signal('SIGKILL')
        // Of a dead process whose parent does not collect it, the group is never empty.
        if (!child.running && now - exited > 2 * GRACE_OF_REST) break
        await sleep(clock, STEP)
      }
      own.off('exit', killAll)
    },
  }
  const ended = (code: number) => {
    Object.assign(child, { running: false, code })
    onEnd(code)
  }
  spawned.on('exit', (code, signal) => ended(code ?? 128 + constants.signals[signal!]))
  spawned.on('error', (error) => {
    const { code = '', message } = error as NodeJS.ErrnoException
    warn(`cannot start '${command[0]}': ${CAUSES[code] ?? message}`)
    ended(NOT_FOUND)
  })
  return child
}
