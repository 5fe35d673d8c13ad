/**
 * Pages are tagged templates: what is put into one is escaped, unless a template made it. By hand,
 * because a page has thousands of pieces, and half of what making it took was their wrapping.
 */

/** A piece of a page, which needs no escaping any more. */
export class Markup {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text
  }
}

/** A piece of a page. */
export type Html = Markup | ''

/** A piece of a page, or a text. */
export type Content = string | Markup

/** Templates without the line breaks and the indentation that make them readable here. */
const compacted = new WeakMap<TemplateStringsArray, readonly string[]>()

function compact(strings: TemplateStringsArray): readonly string[] {
  let known = compacted.get(strings)
  if (!known) {
    // Before what stands at the margin, as in a <pre>, the break is none of the text's. Nothing stands
    // before any other, as prettier lays templates out; an expression that looked would look long.
    known = strings.map((part) => part.replace(/\n$/, '').replace(/\n\s*/g, ' '))
    compacted.set(strings, known)
  }
  return known
}

/** A text that a template made, to be taken as it is. */
export const raw = (text: string): Html => new Markup(text)

/** A line break that is meant stands in a value. Null, undefined, true and false are nothing, a list its items. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Markup {
  const parts = compact(strings)
  let text = parts[0]!
  for (let index = 0; index < values.length; index++) {
    text += printed(values[index]) + parts[index + 1]!
  }
  return new Markup(text)
}

function printed(value: unknown): string {
  if (typeof value === 'string') return escaped(value)
  if (value instanceof Markup) return value.toString()
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) {
    let text = ''
    for (const item of value) text += printed(item)
    return text
  }
  return typeof value === 'boolean' || value === null || value === undefined
    ? ''
    : escaped(String(value))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string =>
  /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES[character]!) : text

/** Nothing, where a piece may be missing. */
export const NONE: Html = ''

/** Each item as a piece, one after the other. */
export const each = <Item>(items: readonly Item[], show: (item: Item, index: number) => Html) =>
  items.map(show)
