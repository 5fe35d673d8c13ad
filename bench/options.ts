/** Options of the benchmarks: `--name value`, each with its usual value. */

type Value = string | number | null

/** Options by name; null is for a text that may be missing. */
type Options<Defaults extends Record<string, Value>> = {
  [Name in keyof Defaults]: Defaults[Name] extends number ? number : string | null
}

/** The options of this program. What is not understood ends it with its usage. */
export function readOptions<Defaults extends Record<string, Value>>(
  defaults: Defaults,
  usage: string,
): Options<Defaults> {
  const read: Record<string, Value> = { ...defaults }
  const words = process.argv.slice(2)
  for (let index = 0; index < words.length; index += 2) {
    const name = words[index]!.replace(/^--/, '')
    const text = words[index + 1]
    const known = words[index]!.startsWith('--') && name in defaults
    const value = typeof defaults[name] === 'number' ? Number(text) : text
    if (!known || value === undefined || Number.isNaN(value)) {
      process.stderr.write(`I do not understand ${words[index]} ${text ?? ''}\nUsage: ${usage}\n`)
      process.exit(2)
    }
    read[name] = value
  }
  return read as Options<Defaults>
}
