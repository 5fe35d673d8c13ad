/** What `npm start` writes to stdout: lines for a person on a terminal, a JSON object a line for a program that reads them. */

type Level = 'info' | 'warn' | 'error'

interface LogLine {
  readonly level: Level
  readonly message?: string
  readonly [name: string]: unknown
}

export class Output {
  /** Whether lines about requests are written. */
  requests = true

  constructor(
    private readonly write: (text: string) => void,
    private readonly forPeople: boolean,
  ) {}

  /** Something that the launcher says. @param details for programs only */
  say(level: Level, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    this.#put({ level, time: new Date().toISOString(), message, ...details })
  }

  /** A line that the runtime wrote: JSON where the Worker logs, text where workerd itself does. */
  pass(line: string): void {
    if (ADDRESSES.test(line)) return
    const logged = parsed(line)
    if (logged === null) this.say(RUNTIME_TROUBLE.test(line) ? 'error' : 'info', line)
    else if (this.requests || logged.message !== 'request') this.#put(logged, line)
  }

  #put(line: LogLine, text = JSON.stringify(line)): void {
    this.write(`${this.forPeople ? readable(line) : text}\n`)
  }
}

/** Where in its executable workerd met an error; it says nothing to anybody without the symbols. */
const ADDRESSES = /^stack: \S+workerd@/
const RUNTIME_TROUBLE = /\b(?:error|fatal|exception|failed|abort)/i

function parsed(line: string): LogLine | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return null
  }
}

/** `12:03:04 GET /query/v4/nodes 200 3.1 ms`, or the message, or all there is. */
function readable(line: LogLine): string {
  const { level, time, message, ...rest } = line
  if (message === 'request') {
    const { method, path, status, milliseconds } = rest
    return `${clock()} ${String(method)} ${String(path)} ${String(status)} ${String(milliseconds)} ms`
  }
  const mark = level === 'info' ? '' : `${level.toUpperCase()}: `
  return time === undefined
    ? `${clock()} ${mark}${message ?? ''}${JSON.stringify(rest)}`
    : `${mark}${message}`
}

const clock = (): string => new Date().toTimeString().slice(0, 8)
