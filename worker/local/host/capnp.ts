/** Prints a value in Cap'n Proto's text format, the format of workerd's configuration. */

/** Names of fields → values; undefined fields are left out. */
export interface Struct {
  readonly [name: string]: Value | undefined
}
export type Value = string | number | boolean | Embedded | readonly Value[] | Struct

/** Embeds the content of a file beside the configuration. */
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
