/** Pages are tagged templates: what is put into one is escaped, unless a template made it. */

import { html as escaped } from 'hono/html'

/** A piece of a page. */
export type Html = ReturnType<typeof escaped> | ''

/** A piece of a page, or a text. */
export type Content = string | Promise<string>

/** Templates without the line breaks and the indentation that make them readable here. */
const compacted = new WeakMap<TemplateStringsArray, TemplateStringsArray>()

function compact(strings: TemplateStringsArray): TemplateStringsArray {
  let known = compacted.get(strings)
  if (!known) {
    known = strings.map((part) =>
      // Before what stands at the margin, as in a <pre>, the break is none of the text's.
      part.replace(/\n$/, '').replace(/\s*\n\s*/g, ' '),
    ) as unknown as TemplateStringsArray
    compacted.set(strings, known)
  }
  return known
}

/** A line break that is meant stands in a value. */
export const html = (strings: TemplateStringsArray, ...values: unknown[]): Html =>
  escaped(compact(strings), ...values)

/** Nothing, where a piece may be missing. */
export const NONE: Html = ''

/** Each item as a piece, one after the other. */
export const each = <Item>(items: readonly Item[], show: (item: Item, index: number) => Html) =>
  items.map(show)
