/** Menus: a summary that opens links, or a form. They need no script, and one is open at a time. */

import { each, html, type Content, type Html } from '../html.ts'

/** @param look further classes: `end` opens it to the left */
export const menu = (summary: Content, body: Content, look = ''): Html =>
  html`<details class="menu${look === '' ? '' : ` ${look}`}" name="menu">
    <summary>${summary}</summary>
    ${body}
  </details>`

export interface MenuLink {
  readonly href: string
  readonly name: Content
  /** What is said beside the name. */
  readonly note?: Content
  readonly chosen?: boolean
  /** Further attributes of the link. */
  readonly more?: Html
}

export function menuLink({ href, name, note = '', chosen = false, more = '' }: MenuLink): Html {
  const attributes = html`href="${href}"${chosen ? html` aria-current="true"` : ''}${more}`
  const beside = note === '' ? '' : html` <span class="muted">${note}</span>`
  return html`<li><a ${attributes}>${name}${beside}</a></li>`
}

export const linkMenu = (summary: Content, links: readonly MenuLink[], look = ''): Html =>
  menu(
    summary,
    html`<ul>
      ${each(links, menuLink)}
    </ul>`,
    look,
  )
