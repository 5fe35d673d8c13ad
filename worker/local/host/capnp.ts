/** Prints a value as Cap'n Proto's text format, which workerd's configuration is written in. */

/** Names of fields → values; a field that is undefined is left out. */
export interface Struct {
  readonly [name: string]: Value | undefined
}
export type Value = string | number | boolean | Embedded | readonly Value[] | Struct

/** The content of a file beside the configuration. */
export class Embedded {
  constructor(readonly file: string) {}
}

/** The text of a value. */
export function print(value: Value): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value instanceof Embedded) return `embed ${quoted(value.file)}`
  if (isList(value)) return `[${value.map(print).join(', ')}]`
  const fields = Object.entries(value).flatMap(([name, field]) =>
    field === undefined ? [] : [`${name} = ${print(field)}`],
  )
  return `(${fields.join(', ')})`
}

const isList = (value: readonly Value[] | Struct): value is readonly Value[] => Array.isArray(value)

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

const quoted = (text: string): string =>
  `"${text.replace(/[\\"\n\r\t]/g, (character) => ESCAPES[character]!)}"`
