/** The output of `npm start`: readable lines on a terminal, otherwise one JSON object per line. */

type Level = 'info' | 'warn' | 'error'

interface LogLine {
  readonly level: Level
  readonly message?: string
  readonly [name: string]: unknown
}

export class Output {
  /** Whether to print a line for each request. */
  requests = true

  constructor(
    private readonly write: (text: string) => void,
    private readonly forPeople: boolean,
  ) {}

  /** Prints a message of the launcher. @param details for the JSON form only */
  say(level: Level, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    this.#put({ level, time: new Date().toISOString(), message, ...details })
  }

  /** Prints a line of the runtime: JSON from the Worker's log, text from workerd itself. */
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

/** The addresses in workerd's error messages, which mean nothing without its symbols. */
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

/** `12:03:04 GET /query/v4/nodes 200 3.1 ms`, or the message, or the whole record. */
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
