/** Options of the benchmarks: `--name value`, each with a default. */

type Value = string | number | readonly number[] | null

/** Options by name; null for an optional text. */
type Options<Defaults extends Record<string, Value>> = {
  [Name in keyof Defaults]: Defaults[Name] extends number
    ? number
    : Defaults[Name] extends readonly number[]
      ? readonly number[]
      : string | null
}

const MAY_BE_ZERO = new Set(['seed', 'slow'])

/** The options of this program. Unknown options end it with its usage; later failures end it with a message. */
export function readOptions<Defaults extends Record<string, Value>>(
  defaults: Defaults,
  usage: string,
): Options<Defaults> {
  const read: Record<string, Value> = { ...defaults }
  const words = process.argv.slice(2)
  for (let index = 0; index < words.length; index += 2) {
    const name = words[index]!.replace(/^--/, '')
    const text = words[index + 1]
    const exists = words[index]!.startsWith('--') && Object.hasOwn(defaults, name)
    const value = exists && text !== undefined ? valueOf(name, text, defaults[name]!) : undefined
    if (value === undefined) {
      process.stderr.write(`I do not understand ${words[index]} ${text ?? ''}\nUsage: ${usage}\n`)
      process.exit(2)
    }
    read[name] = value
  }
  // Services would load a machine's own authorities, and take longer to start.
  delete process.env['NODE_EXTRA_CA_CERTS']
  process.on('uncaughtException', endBySentence)
  return read as Options<Defaults>
}

/** A value of the same type as the default: a text, a number, or numbers separated by commas. */
function valueOf(name: string, text: string, usual: Value): Value | undefined {
  if (typeof usual === 'string' || usual === null) return text
  const numbers = (typeof usual === 'number' ? [text] : text.split(',')).map(Number)
  const least = MAY_BE_ZERO.has(name) ? 0 : Number.MIN_VALUE
  if (text.trim() === '' || !numbers.every((one) => one >= least && one < Infinity))
    return undefined
  return typeof usual === 'number' ? numbers[0] : numbers
}

/** Sets the exit code without exiting, so that cleaning up continues. Prints the stack only for our own bugs. */
function endBySentence(error: Error): void {
  const expected = error.constructor === Error
  process.stderr.write(`${expected ? error.message : (error.stack ?? String(error))}\n`)
  process.exitCode = 1
}
