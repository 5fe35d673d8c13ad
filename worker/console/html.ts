/**
 * Pages are tagged templates, which escape every value unless it is Markup. Written by hand, because a
 * page has thousands of pieces, and a library spent half of its time on wrapping them.
 */

/** A piece of a page that is already escaped. */
export class Markup {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text
  }
}

/** A piece of a page. */
export type Html = Markup | ''

/** A piece of a page, or a text to escape. */
export type Content = string | Markup

/** Templates without the line breaks and indentation of the source. */
const compacted = new WeakMap<TemplateStringsArray, readonly string[]>()

function compact(strings: TemplateStringsArray): readonly string[] {
  let known = compacted.get(strings)
  if (!known) {
    // A line break at the end of a part, as before the unindented text of a <pre>, is removed. Any other
    // break becomes a space. Looking at what precedes a break would make the expression slow.
    known = strings.map((part) => part.replace(/\n$/, '').replace(/\n\s*/g, ' '))
    compacted.set(strings, known)
  }
  return known
}

/** Marks a text as already escaped. */
export const raw = (text: string): Html => new Markup(text)

/** Line breaks are kept in values only. Null, undefined, true and false print nothing; a list prints its items. */
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

/** The empty piece. */
export const NONE: Html = ''

/** One piece per item, in order. */
export const each = <Item>(items: readonly Item[], show: (item: Item, index: number) => Html) =>
  items.map(show)
