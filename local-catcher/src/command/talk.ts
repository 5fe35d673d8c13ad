// What a command says: results on standard output, everything else on standard error.

export const print = (text: string) => void process.stdout.write(`${text}\n`)
export const tell = (text: string) => void process.stderr.write(`${text}\n`)
export const warn = (text: string) => tell(`local-catcher: ${text}`)

/** The signals that end a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls `stop` with each signal that asks us to end. */
export function onStop(stop: (signal: NodeJS.Signals) => void) {
  for (const signal of SIGNALS) process.on(signal, stop)
}
