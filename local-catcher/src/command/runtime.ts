// What a command has around it: streams, signals, environment and clock.
import type { Clock } from '../clock.js'

/** What commands use of `process`; tests run them with another one. */
export type Process = Pick<
  NodeJS.Process,
  'env' | 'stdout' | 'stderr' | 'exit' | 'on' | 'once' | 'off'
>

/** The signals that end a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The surroundings of a command. */
export type Runtime = ReturnType<typeof runtimeOf>

/** The surroundings of a command that runs in a process, and the ways it speaks and hears there. */
export function runtimeOf(process: Process, clock: Clock) {
  const tell = (text: string) => void process.stderr.write(`${text}\n`)
  return {
    process,
    clock,
    /** Says a result, on standard output. */
    print: (text: string) => void process.stdout.write(`${text}\n`),
    /** Says anything else, on standard error. */
    tell,
    warn: (text: string) => tell(`local-catcher: ${text}`),
    /** Calls `stop` with each signal that asks the command to end. */
    onStop(stop: (signal: NodeJS.Signals) => void) {
      for (const signal of SIGNALS) process.on(signal, stop)
    },
  }
}
